"""What a reader takes along: data, charts as tables, a script, a link.

glossary        the meaning of every key, field and column
components      every component in a CSV file
study_table     the table of studies with their classes
script          an experiment as a Python script that needs only torch
arguments       the arguments of `python -m lib`, and its help
"""
