"""What visitors paste: numbers and matrices, read as text and never run.

verdict           the three verdicts
plain             a paste without colours and pytest's marks
tokenizer         a paste as nested values
matrix            a pasted matrix as numbers
fingerprint       what a matrix reveals about how it was computed
shapes            what the shape of a Jacobian alone says
printed           what the digits of a printed number reveal
passages          numbers among words that are not values
mismatches        what failed checks tell of instead of values
messages          the values in the messages of failed checks
prose             which numbers among words are values
possible_floats   the floats that a printed number may stand for
counts            how many floats, in words
window            a stretch of the float line, as it is drawn
distances         how far apart two printed numbers are
placed            where two pasted numbers lie
decode            pasted numbers and vectors, decoded
intervals         pasted numbers on the float line, as data for a picture
decode_sentences  a decoded paste in words
found             a cause that was found, and the tabs that show more of it
evidence          what pasted pairs are evidence of
narrower          numbers that were rounded to a narrower format
causes            why they may differ, with the evidence for it
failure_causes    why a check without values may have failed
failures          what a failed check says without its values
answer_sentences  what the page answers to a paste
decode_tables     a decoded paste as figures for JSON and as tables
"""
