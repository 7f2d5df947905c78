"""What the user can choose, in tables, and what they chose: the experiment, an immutable value named by its query.

Nothing here needs torch, so a bad query is answered before torch is loaded.

rows              what the rows of all tables have in common
choices           the tables of activations, dtypes, devices and the other choices
methods           the table of Jacobian methods
calls             the table of functions that an expression may call
expressions       expressions in one number, as trees
parser            texts, read into such trees
textbook          the derivative of an expression by the rules
listed_functions  the table of functions of one number
functions         these, and a visitor's own
fields            the kinds of fields in a query
views             what an address says beside the experiment
query             the experiment, and its query
studies           the table of studies, and what each depends on
changes           what a former experiment was, in few words
"""
