"""The core of Last Bit: experiments on how two ways of computing one gradient differ in the last bits.

The rooms, from the ground up; each uses only those named before it:

    experiment   what was chosen, and its query
    floats       the float line; figures as texts, tables and charts
    network      the network of an experiment, its samples, the Jacobian methods
    reference    the exact gradient, the a-priori bound, and who is right by them
    run          how a study runs, pauses, resumes and is shared
    replay       one component, operation by operation
    paste        what visitors paste: values are judged, and what is not certain is asked
    discrepancy  why do they differ, and which one is right?
    pitfall      why are all rows the same?
    derivative   is my derivative right?
    batch        why does the batch change it?
    own          what visitors bring: a network or function of their own
    takeaway     files, script, link; the table of studies, the command line's help
    page         the page, the only room that knows Streamlit
    __main__     the command line
"""
