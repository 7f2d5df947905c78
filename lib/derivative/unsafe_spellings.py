"""Functions whose gradient becomes NaN, infinite or wrong at some x, each followed by a safe spelling of it.

The page shows the source of these functions and runs them as they are. So each is complete but for `import torch`, fits
a phone, and has no annotations: all of them take a tensor and return one that holds a single number.
"""

import torch


def sinc(x):
    y = torch.sin(x) / x
    return torch.where(x == 0, 1, y)


def safe_sinc(x):
    z = torch.where(x == 0, 1, x)
    y = torch.sin(z) / z
    return torch.where(x == 0, 1, y)


def root(x):
    return torch.sqrt(x)


def safe_root(x):
    eps = torch.finfo(x.dtype).eps
    return torch.sqrt(x + eps)


def length(x):
    return torch.sqrt((x**2).sum())


def safe_length(x):
    norm = torch.linalg.vector_norm
    return norm(x)


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
    square = (x**2).sum() + eps
    return (x / square.sqrt())[0]


def angle(x):
    cosine = x[0] / x.norm()
    return torch.acos(cosine)


def safe_angle(x):
    y = x[1].abs()
    return torch.atan2(y, x[0])


def entropy(p):
    return -(p * p.log()).sum()


def safe_entropy(p):
    q = torch.where(p > 0, p, 1)
    return -(q * q.log()).sum()


def log_probability(x):
    p = torch.softmax(x, 0)
    return torch.log(p[1])


def safe_log_probability(x):
    log_p = torch.log_softmax(x, 0)
    return log_p[1]


def log_sum(x):
    return torch.log(x.exp().sum())


def built_in_log_sum(x):
    return torch.logsumexp(x, 0)


def safe_log_sum(x):
    largest = x.max().detach()
    y = (x - largest).logsumexp(0)
    return y + largest


def softplus(x):
    return torch.log(1 + x.exp())


def safe_softplus(x):
    functions = torch.nn.functional
    return functions.softplus(x)


def log_of_the_rest(x):
    return torch.log(1 - (-x).exp())


def safe_log_of_the_rest(x):
    rest = -torch.expm1(-x)
    return torch.log(rest)


def hypotenuse(x):
    square = x[0] ** 2 + x[1] ** 2
    return torch.sqrt(square)


def safe_hypotenuse(x):
    return torch.hypot(x[0], x[1])


def rectified(x):
    return x.relu() - (-x).relu()


def safe_rectified(x):
    zero = torch.zeros_like(x)
    above = x.maximum(zero)
    below = x.minimum(zero)
    return above + below


def ends(x):
    largest = x.max(dim=0).values
    smallest = x.min(dim=0).values
    return largest + smallest


def safe_ends(x):
    return x.amax() + x.amin()


def bell(x):
    square = x.norm() ** 2
    return torch.exp(-square)


def safe_bell(x):
    square = (x**2).sum()
    return torch.exp(-square)
