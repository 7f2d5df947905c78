"""The discrepancy under other conditions: where it comes from, and what makes it go away.

variants              the study of named variants, of which the next are tables
equality              the components that are equal on both sides
agreement             which methods agree with which
whole_numbers         a network of small whole numbers, where all is exact
controls              where the difference must be zero
ladder                the discrepancy in every dtype
scaling               by width, depth and outputs
remedy                ways to make it go away
remedies              what each of them leaves
sentences             all of these in words
mechanisms            why one gradient is closer more often: causes, each switched off
lean                  who is closer by the number of outputs
lean_tables           likewise, as tables
lean_sentences        likewise, in words
differences           finite differences, by their step
difference_tables     likewise, as tables
difference_sentences  likewise, in words
charts                the charts of all of these
"""
