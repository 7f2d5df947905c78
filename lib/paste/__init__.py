"""What visitors paste: values are read, known messages are known, and everything else is asked.

The modules, in reading order:

printed     a printed number: its value, its digits, its place in the text
values      the values of a text: numbers, brackets and tensors, with their shapes
labels      the labels of the values, and whether the text has any other words
formats     the format of printed numbers
readings    the floats that printed numbers may stand for, and how far apart two can be
relations   a factor, signs, a transposition, conjugates, a sum over rows, another shape
one_value   what one value shows by itself: an array, a number, a difference
narrower    the narrower format of which all numbers of a side are floats
comparison  two values held against each other: the figures by which they are judged
pairing     which values are compared, if only one reading is possible, or which are pressed
messages    messages that PyTorch, NumPy and pytest write: messages.toml
causes      the first cause that fits, by numbers alone; what is said of it: causes.toml
answer      what was compared, the verdict or the question, and what next
figures     the answer as JSON
picture     the answer as data for the drawing
"""
