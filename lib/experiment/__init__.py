"""What the user can choose, in tables, and what they chose: the experiment, named by its query.

Nothing here needs torch, so a bad query is answered before torch is loaded.

choices      the tables of activations, dtypes, devices and the other choices
methods      the table of Jacobian methods
expressions  expressions in one number, as trees, and the table of functions that they may call
parser       texts, read into such trees
textbook     the derivative of an expression by the rules
functions    the table of functions of one number, and a visitor's own
field_kinds  the kinds of fields in a query
query        the experiment, and its query
presets      experiments worth seeing
studies      the table of studies, and what each depends on
"""
