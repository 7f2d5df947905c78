"""The core of Last Bit: experiments on how two ways of computing one gradient differ in the last bits.

Read it in the order in which the data flows:

    choices      the tables of what can be chosen
    functions    likewise, the functions of one number
    fields       the kinds of fields that a query has
    experiment   everything the user chose, as one immutable value; its query string is its name
    method_sentences  what a method gives beside the backward gradient, in words
    machine      what this machine is, and what it lacks for an experiment
    seeds        the seeds of the random streams, for each purpose its own
    floats       the float line: rounding, ulp distance, spacing
    network      the network of an experiment
    sampling     its random samples, block by block
    jacobians    the backward gradient and the Jacobian methods
    derivatives  functions of one number, and their derivatives as written by hand
    balls        the exact derivative in ball arithmetic, and its correct rounding
    certified    the reference of many x at once, and errors in ulps against it
    arb_gradient  the exact gradient of a network in ball arithmetic
    reference    its fast stand-in in float64, with an error bound
    intervals    95 % intervals for the lean to one side
    bounds       how far rounding alone can drive two gradients apart
    tally        what a study remembers: counts, histograms, extremes
    exact_sum    likewise, a sum of floats without any rounding
    fixes        the pitfall and its fixes, tried on one sample
    fma          the multiply-add of floats, rounded twice or once
    orders       orders of addition by name
    kernels      in which of them this machine adds, found by experiment
    steps        a sum, one operation at a time
    parting      the first operation in which two evaluations of one gradient part
    replay       both evaluations of one component, verified against PyTorch's values
    replay_tables  a replay to read
    remedies     ways to make the discrepancy go away
    mechanisms   why one gradient is closer more often: causes, each switched off
    whole_numbers  a network of small whole numbers, where all is exact
    studies/     what is measured on a block, and the tables of it
    costs        time and memory of one Jacobian by each method
    cost_tables  the costs as tables
    export       every component as a file, CSV or Parquet
    stream       runs a study slice by slice
    tally_json   tallies as JSON, and back to the same bits
    checkpoint   the progress of a run in a file
    ranks        the processes that share out a run, and their shares
    meeting      where they put together what each has measured
    long_run     a run by one process or by several, from its checkpoint to its end
    pace         how often the pages of a process draw
    answers      single questions of the pages, answered by one worker
    run          a run that viewers share, slice by slice
    runs         the store of the runs and answers that the viewers of a page share
    quantities   figures as short texts
    markdown     a visitor's text in Markdown
    sentences    figures as the sentences of the page
    derivative_sentences  likewise, of the derivative study
    verdict_sentences  likewise, of who is right
    condition_sentences  likewise, of why some are so many ulps apart
    lean_sentences  likewise, of who is closer with more outputs
    data_sentences  likewise, of the data to take along
    difference_sentences  likewise, of finite differences by their step
    origin_sentences  likewise, of where it comes from and what makes it go away
    why_sentences  likewise, why, and what to do about it
    script_blocks  the samples and the network of a script, as Python text
    script_functions  likewise, what it differentiates and how
    script       an experiment as a Python script that needs nothing but torch
    report       likewise as a bug report in Markdown
    graph        the autograd graph of the pitfall as a diagram
    charts/      the charts, each on its named tables
    plots        what the charts plot, as tidy tables
    pieces       a paste as nested values, never run
    paste        a pasted matrix as numbers
    fingerprint  what a matrix tells of how it was computed
    exact_floats  the float line in whole numbers and fractions
    tolerances   how far apart PyTorch's checks let two numbers be
    printed      what the digits of a printed number tell
    prose        which numbers among words are values
    possible_floats  the floats that printed numbers may be
    distances    how far apart two of them are
    decode       pasted numbers and vectors, decoded
    decode_sentences  likewise, in words
    decode_tables  likewise, as figures for JSON and as tables
    __main__     the command line
"""
