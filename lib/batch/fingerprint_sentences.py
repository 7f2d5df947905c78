"""What differs between the fingerprints of two machines, in words."""

from lib.batch.fingerprint_differences import ActivationDifference, OrderDifference, Place


def order_difference(difference: OrderDifference) -> str:
    """Say which sums differ, and in what."""
    here, there = difference.here, difference.there
    which = f"{place_of(difference.place)}: {difference.sums:,} of {difference.of:,} sums"
    if here is None or there is None:
        return f"{which} have an order that is revealed only {'there' if here is None else 'here'}."
    if here.hash != there.hash:
        return f"{which} are added in another order, {here.hash} here and {there.hash} there."
    if here.products != there.products:
        return f"{which} are added in the same order, but products are {here.products} here and {there.products} there."
    return f"{which} are added in the same order, but other numbers within them are rounded."


def activation_difference(difference: ActivationDifference) -> str:
    """Say what of an activation has other bits."""
    parts = {"values": difference.values, "slopes": difference.slopes}
    what = " and ".join(part for part, differs in parts.items() if differs)
    return f"{difference.activation} has other {what} there, at the same x."


def place_of(place: Place) -> str:
    """Name a place."""
    batch = "alone" if place.batch is None else f"in a batch of {place.batch}"
    return f"Layer {place.layer}, {place.direction}, {batch}"
