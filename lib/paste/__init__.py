"""What visitors paste, judged: read, what kind of thing it is, one verdict, one picture, and what next.

verdict     the three verdicts
noise       what in a paste has digits and is no value
read        a paste as numbers with their digits, brackets as shapes, labels
floats_of   the floats that a printed number may stand for, and how far apart two can be
groups      numbers without brackets as rows, columns, tables, single values
kinds       what kind of thing was pasted
relations   a factor, a sign, a sum over rows, another order, a zero
facts       the figures by which a paste is judged
causes      the table of causes: when each fits, what is said, what to do
answer      verdict, sentence, figures
line        the float line of a pair, as data for the picture
"""
