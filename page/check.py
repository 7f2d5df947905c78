"""Check my matrix: a pasted Jacobian, and what its entries give away."""

import streamlit as st

from lib.experiment import Experiment
from lib.fingerprint import findings
from lib.paste import PasteError, parse
from lib.sentences import quoted

POST = "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])"


def show(experiment: Experiment) -> None:
    st.header("Check my matrix", anchor="check-my-matrix", divider="gray")
    text = st.text_area(
        "A Jacobian, as Python, JSON, NumPy or PyTorch prints it",
        key="matrix",
        placeholder=POST,
        height=160,
        help="Its rows are the outputs and its columns the inputs. It is read as numbers and brackets, never run.",
    )
    if not text or not text.strip():
        return
    try:
        matrix = parse(text)
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
        return
    st.markdown(f"Read: {' × '.join(map(str, matrix.shape))} numbers.")
    for finding in findings(matrix, experiment.outputs, experiment.inputs):
        st.markdown(finding.sentence)
        if finding.fix:
            st.code(finding.fix, language="python")
