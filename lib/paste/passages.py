"""Passages of a paste whose numbers are not values: an index, a tolerance, a count, the arguments of a call."""

import re

from lib.paste.tokenizer import CALL

NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]*\w)"
_WHOLE = r"[0-9]{1,9}(?![\w.]*[0-9])"
GAP = r"[ \t]{0,9}"
_PLACES = r"[0-9:, -]{1,60}"
_NUMBERED = (
    "component|sample|row|col(?:umn)?|element|entry|step|epoch|iter(?:ation)?|batch|line|output|input|layer|dim|axis"
    "|seed|rank|trial|fold|version"
)
_COUNTED = (
    "places|decimals|digits|failed|passed|skipped|warnings?|errors|samples|elements|components|steps|iterations|epochs"
    "|outputs|inputs|rows|columns"
)
_LINE_BEGINS = {
    "typed at a prompt": r">>>[^\r\n]*(?:\r?\n\.\.\.[^\r\n]*)*",
    "typed into a notebook": r"In[ ]?\[[0-9]{1,6}\]:[^\r\n]*(?:\r?\n[ ]{1,12}\.\.\.:[^\r\n]*)*",
    "line of code in a traceback": r">[ ]{2,}[^\r\n]*",
    "place": rf"{GAP}\[{_PLACES}\](?={GAP}:|[ \t]{{1,9}}[-+.0-9])",
}
PASSAGES = {
    "index": r"The failure occurred for item (?:\[[^\]\r\n]{1,60}\]){1,9}"
    rf"|(?<!\w)(?:at[ ])?ind(?:ex|ices){GAP}[=:]?{GAP}(?:\({_PLACES}\)|\[{_PLACES}\]|{_WHOLE})"
    rf"|(?<![\w.])[A-Za-z_][\w.]{{0,60}}(?:\[{_PLACES}\])+",
    "shape": rf"(?<!\w)(?:(?:shape|size){GAP}[=:]?{GAP}[(\[](?:{_PLACES})?[)\]]|torch\.Size\(\[{_PLACES}\]\))",
    "dtype": rf"(?<!\w)dtype{GAP}[=:]{GAP}(?P<dtype>'[^'\r\n]{{0,60}}'|[\w.<>=|]{{1,60}})"
    r"|(?<![\w.])(?<!\w\()(?:(?:torch|np|numpy)\.)?(?P<bare>b?float(?:16|32|64))(?![\w.]|[ ]?\()"
    r"|\[torch\.(?:cuda\.)?(?P<kind>[A-Za-z0-9]{0,20}Tensor) of size [0-9x]{1,60}[^\]\r\n]{0,60}\]",
    "address": r"<[^<>\r\n]{0,200}[ ]at[ ]0x[0-9a-f]{1,16}>|<[A-Za-z0-9]{1,60}>",
    "tolerance": rf"(?<![a-zA-Z])(?:[ar]?tol(?:erance)?|eps(?:ilon)?|threshold|up to|within){GAP}[=:]?{GAP}{NUMBER}"
    rf"|(?:±|\+/?-){GAP}{NUMBER}",
    "time": r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\w)|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?![\w.]*\w)",
    "version": r"[0-9]{1,9}(?:\.[0-9]{1,9}){2,9}[\w.+-]{0,60}",
    "count": rf"{_WHOLE}{GAP}/{GAP}{_WHOLE}|[0-9.]{{1,20}}{GAP}(?:%|(?:ulps?|ULPs?|[mµun]?s|seconds)(?!\w))"
    rf"|[0-9]{{1,9}}[ ](?:significant[ ])?(?:{_COUNTED})(?!\w)|(?<!\w)(?:{_NUMBERED})[ ]#?{_WHOLE}",
}
"""Patterns of the passages to skip, by what the numbers in them are."""

LINE_BEGIN = re.compile("|".join(_LINE_BEGINS.values()))
PASSAGE = re.compile("|".join(PASSAGES.values()), re.IGNORECASE)

_WRAPPERS = "print|repr|str|float|abs|approx|pytest\\.approx|Decimal|Fraction"
"""Calls whose argument is the value itself."""
_CALLED = re.compile(rf"(?<![\w.])(?!{CALL}|(?:{_WRAPPERS})\()[A-Za-z_][\w.]{{0,60}}(?=[(\[])")
_REACHES = 200  # most characters in a call's arguments, and in what follows on its result
_CHAINED = re.compile(r"\.[A-Za-z_]\w{0,60}")
_STANDS_ALONE = re.compile(r"(?<![\w.])[0-9.]*[0-9]")
_FRACTION = re.compile(rf"(?<![\w.])(?:[0-9]+\.|\.[0-9]|[0-9]+e[-+]?[0-9])|(?:{CALL})", re.I)
_IS_VALUE_OF = re.compile(rf"{GAP}(?:=|:|->|→|≈){GAP}(?={NUMBER})")


def call_end(text: str, position: int) -> int | None:
    """Return the end of a call whose arguments are not values, including what is called on its result.

    The arguments are not values if they are all integers, as in `J.sum(0)[0].item()`, or if the value follows, as in
    `f(0.5) = 0.25`. Return None if there is no such call, or no number in it.
    """
    called = _CALLED.match(text, position)
    if called is None:
        return None
    end = called.end()
    while closing := _closing(text, end):
        end = closing
        if chained := _CHAINED.match(text, end):
            end = chained.end()
    call = text[position:end]
    if "(" not in call or not _STANDS_ALONE.search(call):
        return None
    return end if _IS_VALUE_OF.match(text, end) or not _FRACTION.search(call) else None


def _closing(text: str, start: int) -> int | None:
    """Return the end of the brackets that open at `start`; None if none open there or that line does not close them."""
    depth = 0
    for place in range(start, min(start + _REACHES, len(text))):
        depth += (text[place] in "([") - (text[place] in ")]")
        if depth == 0 and place > start:
            return place + 1
        if depth == 0 or text[place] in "\r\n":
            return None
    return None
