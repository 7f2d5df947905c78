"""The charts: constant Vega-Lite specifications, each on its named tables. No numbers are computed here.

A specification never changes while the page lives, only the rows of its tables do: the browser then keeps the drawn
chart and swaps its data, without flicker, and zoom and tooltip survive. So everything that varies, the ends of the
axes too, is in a table.
"""
