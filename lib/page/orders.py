"""What opens in the tab of the batches: why, who is closer, what else matters, the orders of this machine."""

import streamlit as st

from lib.batch.findings import WHY, closer, conditions, orders
from lib.page.batch import size
from lib.page.elements import show_table
from lib.page.live import Seen
from lib.page.runs import ask


def show_why(seen: Seen) -> None:
    st.markdown(WHY.markdown)


def show_closer(seen: Seen) -> None:
    st.caption("Each cell: the share of the components judged, by which side is closer to the exact value.")
    show_table(closer(seen.tally), "Table of which side is closer to the exact value, by batch size")


def show_conditions(seen: Seen) -> None:
    st.caption("Each cell: the share of outputs, and of the gradient's components, whose bits this changes.")
    show_table(conditions(seen.tally), "Table of the components that each condition changes, by batch size")


def show_orders(seen: Seen) -> None:
    found = ask(orders, seen.experiment, size())
    if found is not None:
        st.caption("Brackets show what is added first; a dot marks a fused product, a tilde a sum rounded to 16 bits.")
        st.dataframe(found, hide_index=True, alt="Table of the orders in which the layers add")
