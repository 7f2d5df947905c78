"""How a study runs: slice by slice, shared by viewers or split among processes.

tally               what a study remembers: counts, histograms, extremes
stream              runs a study slice by slice
tally_json          tallies to JSON, and back to the same bits
checkpoint          a file with the progress of a run
ranks               the processes that split a run, and their shares
long_run            a run from its beginning or checkpoint to its end, and where its ranks merge their results
runs                the runs that viewers share, by one worker, and the progress in words
answers             single questions from the pages, as runs of one sample
"""
