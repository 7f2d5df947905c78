"""What visitors paste: values are read, known messages are known, and everything else is asked.

The modules, in reading order:

printed     a printed number: its value, its digits, its place in the text
values      the values of a text: numbers, brackets and tensors, with their shapes
labels      the labels of the values, and whether the text has any other words
pairing     which values are compared with which, if only one reading is possible
digits      how far a printed number may be from its text
floats_of   the floats that printed numbers may stand for, and how far apart two can be
formats     the format of printed numbers, and a narrower one that a side went through
messages    messages that PyTorch, NumPy and pytest write: messages.toml
relations   a factor, a sign, a transposition, a sum over rows
comparison  two values held against each other: the figures by which they are judged
difference  what a difference alone tells
matrix      what one matrix, vector or shape shows by itself
causes      the first cause that fits, by numbers alone; what is said of it: causes.toml
picked      the two values that a visitor presses
answer      what was compared, the verdict or the question, and what next
figures     the answer as JSON
picture     the answer as data for the drawing
"""
