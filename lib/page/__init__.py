"""The parts of the page. A module uses only modules listed above it; `streamlit_app.py` opens the tabs.

log          short entries in the host's log
elements     building blocks: charts, tables, headings, sections that open
picture      small components that draw what the core hands them as data
address      what was chosen, and the address as a link to it
jumps        rows of pills that take the visitor to an experiment
tour         a tour in seven steps
controls     the strip of controls that a tab shows, and the experiment that they describe
shared       what all viewers' pages share: the store, the pace, drawings and answers
frame        a tab's head, its strip of controls, and the places that a run fills
ghost        the curve of the experiment before, which stays until the next change
live         parts that follow a run: progress, figures and charts
verdict      section 2: which one is right?
replay       section 3: where does it come from?
variations   section 3, continued: the discrepancy under other conditions
remedies     section 4: how do I make it go away?
discrepancy  section 1: how far apart are they? Sections 2 to 4 appear below it
costs        what one Jacobian costs by each method
check        what a pasted matrix reveals
pitfall      section 5: the summed-gradient pitfall
points       single points of the derivative: round trips, edges and kinks
derivative   section 6: a derivative by hand
data         data to download: every component, and what the charts plot
script       the experiment as a script, a bug report and a link
numbers      the visitor's own numbers
own          section 7: the visitor's own numbers, and everything to take along
"""
