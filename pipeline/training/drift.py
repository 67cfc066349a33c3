"""The distribution of each feature in the training data, with which the service compares later tokens."""

import numpy as np

PARTS = 10


def deciles(data, names):
    """By feature: inner edges of up to ten bins of equally many rows, share of rows in each bin, share of missing values."""
    result = {}
    for i, name in enumerate(names):
        column = data["x"][:, i].astype(float)
        seen = column[~np.isnan(column)]
        missing = 1 - len(seen) / max(1, len(column))
        edges = np.unique(np.quantile(seen, np.arange(1, PARTS) / PARTS)) if len(seen) else np.array([])
        # A value equal to an edge belongs to the bin above it.
        counts = np.bincount(np.searchsorted(edges, seen, side="right"), minlength=len(edges) + 1)
        shares = counts / max(1, len(column))
        result[name] = {"edges": [float(e) for e in edges], "shares": [round(float(s), 6) for s in shares], "missing": round(float(missing), 6)}
    return result
