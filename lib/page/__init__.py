"""The parts of the page. A module uses only modules listed above it; `streamlit_app.py` opens the tabs.

log          short entries in the host's log
elements     building blocks: charts, tables, headings, sections that open
picture      small components that draw what the core hands them as data
address      what was chosen, and the address as a link to it
acts         what a visitor did in a picture, for a control to show it
jumps        rows of pills that take the visitor to an experiment
tour         a tour in eight steps, as a bar at the bottom
controls     the strip of controls that a tab shows, and the experiment that they describe
turns        sessions draw one after another
shared       what all viewers' pages share: the store, the pace, drawings and answers
frame        a tab's head, its strip of controls, and the places that a run fills
ghost        the curve of the experiment before, which stays until the next change
wake         wakes a page whose ticks have stopped
live         parts that follow a run: progress, figures and charts
picks        the component that the first tab shows, kept in the link
component    one component as a picture, a sentence about it, the way to another
verdict      sections: which one is right, is it a bug?
distances    section: how far apart, and why so many floats?
replay       section: all operations
variations   sections: the discrepancy under other conditions
remedies     sections: how do I make it go away? and the four dtypes
discrepancy  the tab *Why do they differ?*
costs        what one Jacobian costs by each method
check        what a pasted matrix reveals
pitfall      the tab *Why are all rows the same?*
batch_picks  what a visitor looks at in the tab of the batches, kept in the link
batch        the tab *Why does the batch change it?*
at_x         what a visitor looks at in the tab of the derivatives: one x, one formula, a range of x
unsafe       section: NaN, infinite and zero gradients, and how to write it safely
spelling     section: another spelling of the function
points       sections about single points of a derivative: digits, saturation, edges, kinks, round trips
derivative   the tab *Is my derivative right?*
data         data to download: every component, and what the charts plot
script       the experiment as a script, a bug report and a link
numbers      the visitor's own numbers
own          the tab *Check your own*: numbers, a matrix, and everything to take along
"""
