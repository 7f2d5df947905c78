"""The meaning of every field of the JSON that `--fingerprint` prints."""

FINGERPRINT = {
    "format": "number of the format",
    "query": "the canonical query, of the keys that the fingerprint depends on alone",
    "environment": "versions, processor and settings",
    "settings": "environment variables that are set and choose kernels: ATEN_CPU_CAPABILITY, MKL_CBWR, "
    "MKL_ENABLE_INSTRUCTIONS, ONEDNN_MAX_CPU_ISA",
    "hash": "the orders and the activations' bits together in eight hexadecimal digits; null if no order is revealed",
    "activations": "a row for each activation of the network, for vectors of 1 to 64 fixed x:",
    "activations.activation": "the activation",
    "activations.values": "the bits of its values in eight hexadecimal digits",
    "activations.slopes": "the bits of its slopes, likewise",
    "orders": "as in --study batch, with the same fields",
}
"""What `--fingerprint` prints."""

FINGERPRINTS = {
    "query": "the canonical query of this machine's fingerprint",
    "same": "whether orders and activations are the same; null if some orders are revealed on neither side and nothing "
    "else differs",
    "hash": "the hash here and there, in the file",
    "unrevealed": "layers and batch sizes whose orders are revealed on neither side",
    "environment": "the versions, processor and settings that differ, here and there; a setting is null if not set",
    "activations": "the activations whose bits differ:",
    "activations.activation": "the activation",
    "activations.values": "whether bits of its values differ",
    "activations.slopes": "whether bits of its slopes differ",
    "activations.sentence": "the same in words",
    "differences": "the sums whose orders differ, all those together that have one order here and one there:",
    "differences.batch": "samples in the batch; null for a sample alone",
    "differences.layer": "number of the linear layer, from 1",
    "differences.direction": "forward, or backward for the gradient of its input",
    "differences.rows": "samples of the batch",
    "differences.columns": "sums of each sample",
    "differences.here": "the order here: hash, products and tree as in --study batch; null if it is not revealed",
    "differences.there": "the order in the file, likewise",
    "differences.reason": "why one of the two is not revealed; empty if both are",
    "differences.sentence": "the same in words",
}
"""What `--fingerprint FILE` prints."""
