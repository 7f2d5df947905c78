"""How a study runs: slice by slice, shared by viewers or split among processes.

tally        what a study remembers: counts, histograms, extremes
stream       runs a study slice by slice
tally_json   tallies to JSON, and back to the same bits
checkpoint   a file with the progress of a run
ranks        the processes that split a run, and their shares
meeting      the messages between the processes
long_run     a run on the command line: to its end, by one process or several
run          a run in progress, its rate and its memory
shared_runs  the runs that viewers share, by one worker, and the progress in words
answers      single questions from the pages, as runs of one sample
"""
