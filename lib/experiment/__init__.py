"""What the user chose: tables of choices, and the experiment, an immutable value that its query string names.

Nothing here needs torch, so that a bad query is answered before torch is loaded.

rows       what the rows of all tables have in common
devices    the table of devices
choices    the tables of activations, dtypes, methods and all else that can be chosen
functions  the table of functions of one number
studies    the table of what can be measured
fields     the kinds of fields that a query has
query      the experiment, and its query
"""
