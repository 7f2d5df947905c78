"""What the user chose: the tables of choices, and all that was chosen as one value whose query string is its name.

Nothing here needs torch, so that a bad query is answered before torch is loaded.

    rows       what the rows of all tables have in common
    devices    a table of what computes
    choices    likewise, of everything else to choose
    functions  likewise, the functions of one number
    studies    likewise, what can be measured
    fields     the kinds of fields that a query has
    query      the experiment, and its query
"""
