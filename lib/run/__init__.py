"""How a study runs: slice by slice, shared by viewers or split among processes.

tally               what a study remembers: counts, histograms, extremes
stream              runs a study slice by slice
tally_json          tallies to JSON, and back to the same bits
checkpoint          a file with the progress of a run
ranks               the processes that split a run, and their shares
long_run            a run from its beginning or checkpoint to its end, and where its ranks merge their results
answers             single questions from the pages, answered by one worker
runs                the runs that viewers share, how often their pages draw, and the progress in words
"""
