"""Why does the batch change it? Each sample alone against the same sample as a row of a batch.

conditions               what may matter about a batch besides its size
evaluated                one pass through the network: its outputs and its gradient
study                    the study: every batch size
tables                   how many components change, who is closer, and the orders, as tables
sentences                the same in words, and why
stages                   what one pass computes on its way
origins                  where two passes diverge, and which of these operations a component differs for
traced_sum               one sum in the order in which this machine adds it
shared_sum               the same sum in two orders, alone and in a batch
example                  one component, alone and in a batch
examples                 which component to show
tree_picture             the tree of a sum as a picture
stairs                   the staircase of changed components over the batch sizes
example_sentences        one component in words
opening                  the opening picture of all these
head_sentences           the claim of the tab
card_sentences           the cards below the picture
"""
