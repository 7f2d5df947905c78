"""What visitors paste: numbers and matrices, read as text and never run.

tokenizer         a paste as nested values
matrix            a pasted matrix as numbers
fingerprint       what a matrix tells about how it was computed
printed           what the digits of a printed number tell
passages          numbers among words that are no values
prose             which numbers among words are values
possible_floats   the floats that printed numbers may be
distances         how far apart two of them are
decode            pasted numbers and vectors, decoded
decode_sentences  what was decoded, in words
decode_tables     what was decoded, as figures for JSON and as tables
"""
