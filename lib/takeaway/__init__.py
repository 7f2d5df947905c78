"""What a reader takes along: data, charts as tables, a script, a bug report, a link.

glossary          what every field of the JSON and every column of the files means
export            every component as a file, CSV or Parquet
files             the same for a page to hand out
plots             what the charts plot, as tidy tables
data_sentences    what the data are, in words
link_sentences    what a link is to, in words
script_blocks     the samples and the network of a script, as Python text
script_functions  likewise, what it differentiates and how
script_parts      likewise, what is measured and printed, study by study
studies           the table of studies, a row for each
script            an experiment as a Python script that needs nothing but torch
report            likewise, as a bug report in Markdown
manual            what `python -m lib --help` prints
arguments         what `python -m lib` is given
"""
