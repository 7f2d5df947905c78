"""How figures are put into words and pictures, for every room above.

quantities        figures as short texts
markdown          a visitor's text in Markdown
why               why, and what to do about it
method_sentences  what a method gives beside the backward gradient, in words
tables            tables that keep their columns and types
charts            what all charts share
"""
