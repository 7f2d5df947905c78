"""What visitors paste: values are compared, and known messages are explained.

The modules, in reading order:

printed     a printed number: its digits, and the floats that it may stand for
values      the values of a text: numbers, brackets and tensors, with their shapes
labels      the labels of the values, and whether the text has any other words
formats     the format of printed numbers, and a narrower format that holds them all
relations   a factor, signs, a transposition, conjugates, a sum over rows, another shape
one_value   what one value shows by itself: an array, a number, a difference
comparison  two values compared: the figures by which they are judged
one_side    what one of two sides shows: zeros, or equal rows
pairing     which values belong together, if that is certain
messages    messages that PyTorch, NumPy and pytest write: messages.toml
causes      the first cause that fits, with its sentences: causes.toml
answer      what was compared, the verdict or the question, and what next
figures     the answer as JSON
picture     the answer as data for the drawing
examples    texts to try
"""
