"""Predictions of xgboost for synthetic rows: the expected values of the TypeScript tests."""

import csv
import gzip
import json

import numpy as np
import xgboost as xgb

CONTRIBUTION_DIGITS = 6


def write_reference(booster, names, synthetic_path, folder, file_name):
    with open(synthetic_path, newline="") as file:
        rows = csv.reader(file)
        assert next(rows) == names, "synthetic vectors have other features"
        x = np.array([[float(c) if c else np.nan for c in row] for row in rows], np.float32)
    matrix = xgb.DMatrix(x)
    cell = lambda v: None if np.isnan(v) else float(str(v))
    contributions = booster.predict(matrix, pred_contribs=True)
    reference = {
        "rows": [[cell(v) for v in row] for row in x],
        "margins": [cell(v) for v in booster.predict(matrix, output_margin=True)],
        "contributions": [[round(float(v), CONTRIBUTION_DIGITS) for v in row] for row in contributions],
    }
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(reference, separators=(",", ":")) + "\n"
    (folder / file_name).write_bytes(gzip.compress(text.encode(), mtime=0))
