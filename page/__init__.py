"""The parts of the page; `streamlit_app.py` puts them together in the order in which they appear.

jumps        rows of pills that take the visitor to an experiment
tour         a tour in seven steps
controls     the link, the presets and the sidebar: which experiment it is
live         what streams: runs, progress, charts
discrepancy  section 1: how far apart are they?
verdict      section 2: which one is right?
lean         likewise, with more outputs, in every dtype, and why
origin       section 3: where does it come from?
remedies     section 4: how do I make it go away?
pitfall      section 5: the summed-gradient pitfall
costs        what one Jacobian costs by each method
check        a pasted matrix and what it gives away
derivative   section 6: a derivative by hand
points       single points of that: round trips, edges and kinks
data         section 7, the data: every component, and what the charts plot
script       the experiment as a script, as a bug report and as a link
own          section 7: what a reader takes along, and their own numbers
"""
