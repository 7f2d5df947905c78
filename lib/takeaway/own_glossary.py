"""The meaning of every field of the JSON that `--own` prints."""

OWN = {
    "own": "the network, as FILE.py:NAME",
    "kind": "of the difference: equal, rounding, undecided or not rounding",
    "verdict": "Rounding (or equal), Not rounding: look for this, or Print more digits (undecided)",
    "x": "the shapes of its inputs",
    "result": "the shape of its result",
    "of": "what the gradients are of: the input",
    "mean_of": "the number of terms if the result is a mean, else null",
    "parts": "what was compared",
    "notes": "what could not be done, in words",
}
"""What `--own` prints."""

PART = {
    "what": "the gradient of the input",
    "sides": "the two ways",
    "kind": "of their difference, as above",
    "components": "their number",
    "differing": "how many differ",
    "max_ulps": "the largest distance in floats, of finite components",
    "remains": "which part of the difference remains in float64 throughout; null if unknown",
    "expected": "which part of a rounding error would remain",
    "factor": "the number times which the first side is the second, to half of the digits; null if there is none",
    "digits": "to how many digits central differences agree with the slope along one direction; null if unmeasured",
    "causes": "what was looked for and found if the difference is not rounding",
    "says": "what was found, in words",
}
"""Each of its parts."""
