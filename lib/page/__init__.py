"""The page: the only package of `lib` that imports Streamlit.

`streamlit_app.py` opens the tabs. Each tab is one module.

link         the address of the page
drawings     components whose code is a module in `static/`
widgets      one control: a native widget for a field of the experiment
controls     the controls of a tab as one sentence
charts       Altair's charts, and tables
sections     questions with their answers, and sections that open in place
follow       follow a run and update the page
own          the tab *Check your own*
share        the last rows of a tab: presets, and the menu *Save or share*
variations   the discrepancy with remedies, in other dtypes, by other methods
discrepancy  the tab *Why do they differ?*
pitfall      the tab *Why are all rows the same?*
batch        the tab *Why does the batch change it?*
derivative   the tab *Is my derivative right?*
"""
