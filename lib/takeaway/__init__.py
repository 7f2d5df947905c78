"""What a reader takes along: data, charts as tables, a script, a bug report, a link.

glossary          what every field of the JSON and every column of the files means
export            every component as a file, CSV or Parquet
files             both formats of the first samples, for a page to hand out
plots             what the charts plot, as tidy tables
data_sentences    what the data are, in words
link_sentences    title and summary of a link
script_blocks     the samples and the network of a script, as Python text
script_functions  what a script differentiates, and how
script_parts      what a script measures and prints, study by study
study_table       the table of studies, a row for each
script            an experiment as a Python script that needs nothing but torch
report            an experiment as a bug report in Markdown
manual            what `python -m lib --help` prints
arguments         what `python -m lib` is given
"""
