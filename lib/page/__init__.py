"""The page: the only package of `lib` that imports Streamlit.

`streamlit_app.py` opens the tabs. Each tab is one module.

link         the address of the page
drawings     Streamlit components whose JavaScript lies in `static/`
controls     the controls of a tab as one sentence: a widget for each field of the experiment
charts       Altair's charts, and tables
shared       what the tabs share: answers, presets, *Save or share*, sections that open in place
follow       follow a run and update the page; ask the worker single questions
variations   the discrepancy with remedies, in other dtypes, by other methods
own          the tab *Check your own*
discrepancy  the tab *Why do they differ?*
pitfall      the tab *Why are all rows the same?*
batch        the tab *Why does the batch change it?*
derivative   the tab *Is my derivative right?*
"""
