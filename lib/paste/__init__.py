"""What visitors paste: numbers and matrices, read as text and never run.

tokenizer         a paste as nested values
matrix            a pasted matrix as numbers
fingerprint       what a matrix reveals about how it was computed
printed           what the digits of a printed number reveal
passages          numbers among words that are not values
prose             which numbers among words are values
possible_floats   the floats that a printed number may stand for
distances         how far apart two printed numbers are
decode            pasted numbers and vectors, decoded
decode_sentences  a decoded paste in words
decode_tables     a decoded paste as figures for JSON and as tables
"""
