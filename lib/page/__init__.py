"""The page, the only room that knows Streamlit. `streamlit_app.py` opens the tabs; each has a file of its name.

log          short entries in the host's log
session      what a session remembers beside its widgets
link         the address: what is chosen and picked
runs         the one worker that all viewers share
code         the JavaScript of the live parts
live         what changes while a run goes on: one component, one message at a tick
elements     charts, their titles, tables
controls     the controls of a tab as one sentence
menu         what to take along
tab          what the tabs of an experiment share
variations   remedies, dtypes, and what is for specialists
discrepancy  the tab *Why do they differ?*
pitfall      the tab *Why are all rows the same?*
batch        the tab *Why does the batch change it?*
derivative   the tab *Is my derivative right?*
own          the tab *Check your own*
warm         what the server does before its port answers
"""
