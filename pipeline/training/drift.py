"""How the features of the training data are spread: what the service compares later tokens with."""

import numpy as np

PARTS = 10


def deciles(data, names):
    """By feature: the inner edges of up to ten parts of equally many rows, the share of rows in each part, and that of missing values."""
    result = {}
    for i, name in enumerate(names):
        column = data["x"][:, i].astype(float)
        seen = column[~np.isnan(column)]
        missing = 1 - len(seen) / max(1, len(column))
        edges = np.unique(np.quantile(seen, np.arange(1, PARTS) / PARTS)) if len(seen) else np.array([])
        # A value that equals an edge belongs to the part above it.
        counts = np.bincount(np.searchsorted(edges, seen, side="right"), minlength=len(edges) + 1)
        shares = counts / max(1, len(column))
        result[name] = {"edges": [float(e) for e in edges], "shares": [round(float(s), 6) for s in shares], "missing": round(float(missing), 6)}
    return result
