"""What PyTorch's kernels for other CPU capabilities change, in words."""

from lib.batch.capabilities import SideBySide
from lib.display.quantities import listed


def capabilities_claim(found: SideBySide) -> str:
    """Say whether other kernels of PyTorch change an order or the bits of an activation."""
    compared = found.compared
    if not compared:
        return f"On this machine, the kernels for {found.own} cannot be compared with others."
    others = listed(made.kernels for made, _ in compared)
    orders = [made.kernels for made, differences in compared if differences.orders]
    unknown = any(differences.unrevealed for _, differences in compared)
    if orders:
        said = f"PyTorch's kernels for {listed(orders)} add some sums in another order than those for {found.own} here."
    else:
        which = "every sum whose order is revealed" if unknown else "every sum"
        said = (
            f"PyTorch's kernels for {others} leave {which} in the order that it has here, with those for {found.own}."
        )
    changing = [made.kernels for made, differences in compared if differences.activations]
    if not changing:
        return f"{said} No activation has other bits at the x tried."
    names = dict.fromkeys(one.activation for _, differences in compared for one in differences.activations)
    return f"{said} Kernels for {listed(changing)} change bits of {listed(names)}."
