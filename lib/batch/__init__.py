"""Why does the batch change it? Each sample alone against the same sample as a row of a batch.

conditions               what may matter about a batch besides its size
evaluated                one pass through the network: its outputs and its gradient
study                    the study: every batch size
tables                   how many components change, and who is closer, as tables
sentences                the same in words, and why
order_figures            the orders of addition behind all this, as figures for JSON
fingerprint              the same and the bits of the activations, to compare machines by
fingerprint_differences  what differs between two fingerprints
fingerprint_sentences    the same in words
fingerprint_figures      the same as figures for JSON
capabilities             the fingerprints of one machine under each CPU capability
capability_tables        the same as a table
capability_sentences     the same in words
charts                   a chart of the changed components by batch size
"""
