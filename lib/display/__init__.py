"""How figures are put into words and pictures, for every room above.

quantities  figures as short texts
markdown    a visitor's text in Markdown
why         the form of every explanation: the reason, what to do, links
tables      tables that keep their columns and types
charts      what all charts share
"""
