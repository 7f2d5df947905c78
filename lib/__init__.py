"""Last Bit: how two ways of computing one gradient differ in their last bits.

The packages, from the ground up; each uses only those named before it:

    experiment   what was chosen, and its query
    floats       the number line of floats; figures as texts, tables and charts
    network      the network of an experiment, its samples, the Jacobian methods
    reference    the exact gradient, the a-priori bound, and which gradient is closer
    run          how a study runs, pauses, resumes and is shared
    replay       one component, operation by operation
    paste        printed values that visitors paste, and the verdict on them
    discrepancy  why do they differ, and which one is right?
    pitfall      why are all rows the same?
    derivative   is my derivative right?
    batch        why does the batch change it?
    own          compare() for a network or two functions of your own
    takeaway     files, script; the table of studies, the command line's help
    page         the page, the only package that knows Streamlit
    __main__     the command line

The docstring of a package lists its modules. Where to find what (NAME stands for discrepancy,
pitfall, derivative or batch):

    an activation: its name ............ experiment.choices; its slope: reference.activations
    a Jacobian method: its name ........ experiment.methods; its function: network.jacobians
    a dtype or a device ................ experiment.choices; what this machine has: network.machine
    keys of the query, their limits .... experiment.query; their kinds: experiment.field_kinds
    a visitor's function, as text ...... experiment.parser, differentiated by experiment.textbook
    functions of the derivative study .. experiment.functions, computed by derivative.formulas
    the backward gradient .............. network.jacobians
    initial weights, random samples .... network.network, network.sampling; seeds: network.seeds
    the loop over samples of a block ... network.sampled_study; over blocks: run.stream
    versions, threads, flags of a GPU .. network.machine
    ulp distance, rounding once ........ floats.ulps; one number exactly: floats.exact_floats
    the exact gradient ................. reference.arb_gradient and float64_reference
    which gradient is closer ........... reference.judge; how often: discrepancy.accuracy
    the a-priori bound ................. reference.bounds
    the order in which a kernel adds ... replay.reveal and replay.orders
    the first operation that differs ... replay.first_divergence
    counts, histograms, extremes ....... run.tally; the tally of a study: NAME.study or NAME.tally
    runs that viewers share ............ run.shared_runs; checkpoints, torchrun: run.long_run
    the verdict in words ............... floats.verdict; other sentences: NAME.sentences
    the verdict on pasted values ....... paste.answer; causes and messages: two TOML files there
    a chart and its colours ............ floats.charts and the module of the package that draws it
    a drawing .......................... static/*.js; data: what a tab of the page passes to `draw`
    controls, the address of the page .. page.controls, page.link
    a field of the JSON ................ `figures` of the tally; what it means: takeaway/fields.toml
    commands, script, CSV file ......... takeaway.arguments, takeaway.script, takeaway.components
    compare() for your own network ..... own.comparison
    oracles and cases of the tests ..... tests/oracles.py, tests/cases.py, tests/NAME
"""
