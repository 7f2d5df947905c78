"""The discrepancy under other conditions: where it comes from, and what makes it go away.

variants              the base of the studies below: named variants, tallied by name
equality              a tally of how many components are equal
agreement             which methods agree with which
whole_numbers         a network of small whole numbers, in which everything is exact
controls              where the difference must be zero
ladder                the discrepancy in every dtype, and with emulated products
scaling               how it grows with width, depth and outputs
remedies              ways to make it go away, and what each leaves
sentences             all of these in words
charts                charts of all of these
"""
