"""The meaning of every field of the JSON that `--decode` prints, by what was pasted."""

_NUMBER = {
    "text": "the number as pasted",
    "value": "the nearest float; null where it is infinite or NaN",
    "exact": "that float exactly, as text",
    "hexadecimal": "that float in hexadecimal",
    "spacing": "the spacing of floats there",
    "power_of_two": "e if the float is 2^e, else null",
    "floats": "how many floats print as this text",
    "held": "whether any float prints as this text; no float16 prints as 2049",
    "multiple_of_power_of_two": "m and e if the number is a small odd multiple m·2^e, else null",
    "one_ulp_of": "the ends of the binade whose floats are 2^e apart; null likewise",
}

DECODE = {
    "every paste": {
        "dtype": "the dtype; one named in the paste overrides --dtype, and of two the one of lower precision counts",
        "verdict": "Rounding, Not rounding: look for this, or Print more digits; null where nothing is to be judged",
        "sentence": "what fits the digits, in words; they do not prove it",
        "cause": "the name of the likely cause, and what to do as a line of code",
        "notes": "how the paste was read",
        "read_as": "pairs, differences, numbers, jacobian, unequal, shape, message or words",
        "passed_over": "numbers among the words that are not values: an index, a count, a tolerance",
    },
    "one number": _NUMBER,
    "several numbers": {"numbers": "each number as above"},
    "two numbers": {
        "ulps": "the lowest and the highest distance that the printed digits allow",
        "difference": "the difference",
        "differences": "the lowest and the highest difference that the digits allow",
        "power_of_two": "e if the difference is 2^e, else null",
        "spacing": "the spacing of floats at the number nearer to zero",
        "relative": "the lowest and the highest difference relative to the larger number",
        "relative_to_eps": "the same in eps of the dtype",
        "above": "whether it exceeds what assert_close, allclose and gradcheck allow; null where the digits leave it"
        " open",
        "numbers": "both numbers as above",
    },
    "two vectors": {
        "components": "the same fields for each component",
        "worst": "the component that is farthest apart",
    },
    "a matrix or a shape": {"shapes": "the shape, or those of two that do not match"},
    "a message": {"greatest": "the greatest absolute and relative difference that it tells; null where it tells none"},
}
"""What `--decode` prints."""
