"""What a reader takes along: data, charts as tables, a script, a bug report, a link.

glossary              the meaning of every field of the JSON
column_glossary       the same for the columns of the files
decode_glossary       the same for decoded pastes
component_tables      one row for each component, study by study
export                every component in a CSV file
files                 the first samples as a file to download from the page
study_table           the table of studies with their classes
script_methods        how a script computes a Jacobian
script_formulas       formulas as a script writes them
script                an experiment as a Python script that needs only torch
report                an experiment as a bug report in Markdown
manual                the text that `python -m lib --help` prints
arguments             the arguments of `python -m lib`
"""
