"""The page: the only package of `lib` that imports Streamlit.

`streamlit_app.py` opens the tabs. Each tab is one module.

link         the address of the page
drawings     components whose code is a module in `static/`
controls     the controls of a tab as one sentence: a widget for each field of the experiment
charts       Altair's charts, and tables
sections     answers, presets, *Save or share*, and sections that open in place
follow       follow a run and update the page
variations   the discrepancy with remedies, in other dtypes, by other methods
own          the tab *Check your own*
discrepancy  the tab *Why do they differ?*
pitfall      the tab *Why are all rows the same?*
batch        the tab *Why does the batch change it?*
derivative   the tab *Is my derivative right?*
"""
