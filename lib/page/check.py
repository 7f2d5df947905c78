"""Check my matrix: what the entries of a pasted Jacobian reveal about how it was computed."""

import streamlit as st
import torch

from lib.display.markdown import quoted
from lib.paste.fingerprint import Finding, findings
from lib.paste.matrix import PasteError, is_cut, parse
from lib.paste.shapes import of_part, of_shape, without_gaps

POST = "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])"
SHOW = {"none": st.success} | dict.fromkeys(("fits", "zero rows", "one row", "part"), st.info)
MOST_SHOWN = 64
MOST = 100_000  # outputs or inputs: no paste holds more numbers


@st.fragment
def show() -> None:
    st.header("Check my matrix", anchor="check-my-matrix")
    left, right = st.columns(2, gap="large")
    with left, st.container(key="matrix_box"):
        text = st.text_area(
            "A Jacobian, as Python, JSON, NumPy or PyTorch prints it",
            key="matrix",
            placeholder=POST,
            height=136,
            help="Its rows are the outputs and its columns the inputs. It is read as numbers and brackets, never run.",
        )
        counts = [
            column.number_input(f"{name}, if you know", 1, MOST, None, placeholder="any", key=f"matrix_{name}")
            for name, column in zip(("Outputs", "Inputs"), st.columns(2), strict=True)
        ]
    with right:
        show_findings(str(text or POST), counts)  # a client other than a browser may not send text


def show_findings(text: str, counts: list[int | None]) -> None:
    if shape := of_shape(text, *counts):
        show_finding(shape)
        return
    text, is_part = without_gaps(text)
    try:
        matrix = parse(text)
    except PasteError as error:
        st.error(quoted(str(error), error.shown))
        return
    cut = " A bracket is not closed: is some of it missing?" if is_cut(text) else ""
    if is_part:
        cut += (
            " More are left out at `...`: rows are counted among those that stand there, and shape, zeros and batch "
            "are not judged. Print it all, after `torch.set_printoptions(threshold=10**6)` or "
            "`np.set_printoptions(threshold=10**6)`."
        )
    st.markdown(f"Read: {' × '.join(map(str, matrix.shape))} numbers.{cut}")
    if matrix.size <= MOST_SHOWN:
        st.code(str(torch.from_numpy(matrix)), language=None)
    for finding in of_part(findings(matrix)) if is_part else findings(matrix, *counts):
        show_finding(finding)


def show_finding(finding: Finding) -> None:
    SHOW.get(finding.name, st.warning)(finding.sentence)
    if finding.fix:
        st.code(finding.fix, language="python")
