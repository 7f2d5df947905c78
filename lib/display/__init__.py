"""How the rooms above put figures into words and charts.

quantities  figures as short texts
markdown    a visitor's text in Markdown
sentences   sentences as rows: a text, and a condition
why         the form of every explanation: the reason, what to do, links
tables      tables with fixed columns and types
colours     the colours, one meaning each
charts      what all charts share
"""
