"""What a reader takes along: data, charts as tables, a script, a bug report, a link.

export            every component as a file, CSV or Parquet
files             the same for a page to hand out
plots             what the charts plot, as tidy tables
data_sentences    what the data are, in words
link_sentences    what a link is to, in words
script_blocks     the samples and the network of a script, as Python text
script_functions  likewise, what it differentiates and how
script            an experiment as a Python script that needs nothing but torch
report            likewise, as a bug report in Markdown
"""
