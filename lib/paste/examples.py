"""Texts to try: one for each symptom, as it is printed."""

EXAMPLES = {
    "two numbers differ": "backward -0.0086  jacobian -0.0086\ndifference 9.3132e-10",
    "rows all the same": (
        "tensor([[10., 18.],\n        [10., 18.],\n        [10., 18.],\n        [10., 18.]])"
    ),
    "assert_close fails": (
        "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 1 / 6 (16.7%)\n"
        "Greatest absolute difference: 5.9604644775390625e-08 at index (3,) (up to 1e-08 allowed)\n"
        "Greatest relative difference: 1.7881393432617188e-07 at index (3,) (up to 1e-07 allowed)"
    ),
    "differs in a batch": (
        "alone    tensor([0.50312674, 0.49187315, 0.51760387])\n"
        "in batch tensor([0.50312680, 0.49187312, 0.51760387])"
    ),
    "a difference alone": "max abs diff: 2.9802e-08",
    "zero gradient": "x.grad: tensor([0., 0., 0., 0.])",
    "NaN": "tensor([nan, 1., 2.])",
    "gradcheck fails": (
        "torch.autograd.gradcheck.GradcheckError: "
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[0.9537, 0.0000],\n        [0.0000, 1.0729]])\n"
        "analytical:tensor([[1., 0.],\n        [0., 1.]])"
    ),
}
"""The texts, by the symptom."""

FIRST = "two numbers differ"
"""The example that is in the box at first."""
