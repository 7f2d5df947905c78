"""Functions whose gradient becomes NaN, infinite or wrong at some x, each followed by a safe spelling of it.

The page shows the source of these functions and runs them as they are. So each is complete but for `import torch`, fits
a phone, and has no annotations: all of them take a tensor and return one that holds a single number.
"""

import torch


def sinc(x):
    y = torch.sin(x) / x
    return torch.where(x == 0, 1, y)


def safe_sinc(x):
    not_0 = torch.where(x == 0, 1, x)
    y = torch.sin(not_0) / not_0
    return torch.where(x == 0, 1, y)


def root(x):
    return torch.sqrt(x)


def safe_root(x):
    eps = torch.finfo(x.dtype).eps
    return torch.sqrt(x + eps)


def length(x):
    return torch.sqrt((x**2).sum())


def safe_length(x):
    return torch.linalg.vector_norm(x)


def power(x):
    return (x**2) ** 0.75


def safe_power(x):
    return x.abs() ** 1.5


def cube_root(x):
    return x ** (1 / 3)


def safe_cube_root(x):
    root = x.abs() ** (1 / 3)
    return x.sign() * root


def unit(x):
    return (x / x.norm())[0]


def safe_unit(x):
    eps = torch.finfo(x.dtype).eps
    norm = torch.sqrt((x**2).sum() + eps)
    return (x / norm)[0]


def angle(x):
    return torch.acos(x[0] / x.norm())


def safe_angle(x):
    return torch.atan2(x[1].abs(), x[0])


def entropy(p):
    return -(p * p.log()).sum()


def safe_entropy(p):
    not_0 = torch.where(p > 0, p, 1)
    return -(not_0 * not_0.log()).sum()


def log_probability(x):
    p = torch.softmax(x, dim=0)
    return torch.log(p[1])


def safe_log_probability(x):
    return torch.log_softmax(x, dim=0)[1]


def log_sum(x):
    return torch.log(torch.exp(x).sum())


def built_in_log_sum(x):
    return torch.logsumexp(x, 0)


def safe_log_sum(x):
    largest = x.max().detach()
    y = torch.logsumexp(x - largest, 0)
    return y + largest


def softplus(x):
    return torch.log(1 + torch.exp(x))


def safe_softplus(x):
    softplus = torch.nn.functional.softplus
    return softplus(x)


def log_of_the_rest(x):
    return torch.log(1 - torch.exp(-x))


def safe_log_of_the_rest(x):
    return torch.log(-torch.expm1(-x))


def hypotenuse(x):
    squares = x[0] ** 2 + x[1] ** 2
    return torch.sqrt(squares)


def safe_hypotenuse(x):
    return torch.hypot(x[0], x[1])


def rectified(x):
    return torch.relu(x) - torch.relu(-x)


def safe_rectified(x):
    zero = torch.zeros_like(x)
    above = torch.maximum(x, zero)
    below = torch.minimum(x, zero)
    return above + below


def ends(x):
    largest = x.max(dim=0).values
    smallest = x.min(dim=0).values
    return largest + smallest


def safe_ends(x):
    return x.amax(dim=0) + x.amin(dim=0)


def bell(x):
    square = x.norm() ** 2
    return torch.exp(-square)


def safe_bell(x):
    square = (x**2).sum()
    return torch.exp(-square)
