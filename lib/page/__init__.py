"""The page, the only room that knows Streamlit. `streamlit_app.py` opens the tabs; each has a file of its name.

log          short entries in the host's log
link         the address: what is chosen and picked
controls     the controls of a tab as one sentence
drawings     components whose code is a module in `static/`
charts       Altair's charts, and tables
cards        a question, its answer, and details that open in place
follow       follow a run, tick by tick
share        what to take along
own          the tab *Check your own*
variations   remedies, dtypes, and what is for specialists
discrepancy  the tab *Why do they differ?*
pitfall      the tab *Why are all rows the same?*
batch        the tab *Why does the batch change it?*
derivative   the tab *Is my derivative right?*
"""
