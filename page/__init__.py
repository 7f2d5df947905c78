"""The parts of the page; `streamlit_app.py` puts them together in the order in which they appear.

controls     the link, the presets and the sidebar: which experiment it is
live         what streams: runs, progress, charts
discrepancy  section 1: how far apart are they?
pitfall      section 5: the summed-gradient pitfall
costs        what one Jacobian costs by each method
check        a pasted matrix and what it gives away
data         section 7, the data: every component, and what the charts plot
own          section 7: what a reader takes along, and their own numbers
"""
