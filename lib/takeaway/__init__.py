"""What a visitor takes along: data, a script, and the command line's help.

glossary        the meaning of every key, field and column
components      every component in a CSV file
study_table     the table of studies with their classes
script          an experiment as a Python script that needs only torch
arguments       the commands of `python -m lib`, their arguments, and the help
"""
