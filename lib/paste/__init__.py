"""What visitors paste, judged: read, what kind of thing it is, one verdict, one picture, and what next.

patterns    how numbers and what stands beside them are written: patterns.toml
printed     numbers as text, in whatever way people write them, and brackets of them
calls       what was printed, where the code that printed it is pasted, too
noise       what in a paste has digits and is no value
read        a paste as numbers with their digits, brackets as shapes, labels
floats_of   the floats that printed numbers may stand for, and how far apart two can be
narrowing   which of several candidates are the two sides
sides       which of these are the sides of a comparison: brackets, blocks, tables, single values
picked      the two sides that a visitor picks, with their columns and rows
formats     the format in which they are printed
compared    what values are, held against each other: pairs, differences, numbers, a matrix
kinds       what kind of thing was pasted
relations   a factor, a sign, a sum over rows, another order, a zero
rows        what the rows and columns of one matrix show
facts       the figures by which a paste is judged
causes      the first cause that fits, and what is said of it: causes.toml
answer      verdict, sentence, figures
picture     the float line of a pair, as data
"""
