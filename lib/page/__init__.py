"""The parts of the page, each after those that it uses; `streamlit_app.py` opens the tabs.

log          what the log of the host says
elements     what the parts are made of: charts and tables, their headings, sections that open
jumps        rows of pills that take the visitor to an experiment
tour         a tour in seven steps
controls     the link, the presets and the sidebar: which experiment it is
shared       what the pages of all viewers share: the store, the pace, drawings and answers
live         what streams: runs, progress, charts
verdict      section 2: which one is right?
replay       section 3: where does it come from?
variations   section 3, continued under other conditions: sections that open
remedies     section 4: how do I make it go away?
discrepancy  section 1: how far apart are they? It puts sections 2 to 4 below it
costs        what one Jacobian costs by each method
check        a pasted matrix and what it gives away
pitfall      section 5: the summed-gradient pitfall
points       single points of a derivative: round trips, edges and kinks
derivative   section 6: a derivative by hand
data         the data to take along: every component, and what the charts plot
script       the experiment as a script, as a bug report and as a link
numbers      a visitor's own numbers
own          section 7: what a reader takes along, and their own numbers
"""
