"""
Trains, evaluates and exports the contract model from opcode histograms.

usage: trainContracts.py <histograms.csv.gz> <names.json> <synthetic.csv> <artifacts folder> <fixtures folder>
"""

import csv
import gzip
import hashlib
import json
import pathlib
import sys

import numpy as np
import xgboost as xgb

from exportModel import gain_shares, onnx_model, tree_arrays, write_model
from metrics import report
from reference import write_reference

MODEL_NAME = "opcodes-onnx-2.0"
SEED = 20_260_101
ROUNDS = 350
PARAMS = {
    "objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_depth": 4, "eta": 0.05,
    "subsample": 0.7, "colsample_bytree": 0.3, "min_child_weight": 2, "reg_lambda": 2, "nthread": 1, "seed": SEED,
}
FOLDS = 5
# Number of draws of the five folds, because the TPR at 1 % FPR depends on only four negatives.
DRAWS = 5
# Two codes are near if the sum of the differences of their opcode shares is below this. Groups are transitive, so that all
# copies in a family are on the same side of a split.
NEAR_DISTANCE = 0.05
ID_COLUMN, LABEL_COLUMN = "token_address", "label"


def load(path, names):
    with gzip.open(path, "rt", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        body = list(rows)
    places = [header.index(name) if name in header else None for name in names]
    counts = np.array([[0.0 if place is None else float(row[place]) for place in places] for row in body])
    label = header.index(LABEL_COLUMN)
    shares = counts / np.maximum(1.0, counts.sum(axis=1, keepdims=True))
    return shares.astype(np.float32), np.array([float(row[label]) for row in body])


def near_groups(x):
    shares, inverse = np.unique(x, axis=0, return_inverse=True)
    parent = np.arange(len(shares))

    def root(node):
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for row in range(len(shares)):
        distance = np.abs(shares[row] - shares[row + 1:]).sum(axis=1)
        for other in np.flatnonzero(distance < NEAR_DISTANCE):
            parent[root(row)] = root(row + 1 + other)
    return np.array([root(node) for node in range(len(shares))])[inverse.ravel()]


def fit(x, label):
    return xgb.train(PARAMS, xgb.DMatrix(x, label), ROUNDS)


def cross_validate(x, label, groups):
    """Mean metrics over several draws of the folds, and the spread of the two that vary most."""
    kinds, group = np.unique(groups, return_inverse=True)
    reports = []
    for draw in range(DRAWS):
        fold = (np.random.default_rng(SEED + draw).permutation(len(kinds)) % FOLDS)[group]
        probability = np.zeros(len(label))
        for held in range(FOLDS):
            booster = fit(x[fold != held], label[fold != held])
            probability[fold == held] = booster.predict(xgb.DMatrix(x[fold == held]))
        reports.append(report(label, probability))
    mean = {key: float(np.mean([one[key] for one in reports])) for key in reports[0]}
    spread = {f"{key}Deviation": float(np.std([one[key] for one in reports])) for key in ("rocAuc", "tprAt1PercentFpr")}
    return {**mean, **spread, "rows": len(label), "groups": len(kinds)}


def card_text(card):
    columns = ("rows", "groups", "rocAuc", "rocAucDeviation", "prAucRug", "prAucSurvived", "brier", "ece", "eceEqualMass",
               "tprAt1PercentFpr", "tprAt1PercentFprDeviation", "tprAt5PercentFpr")
    head = ("| split | rows | groups | ROC-AUC | ± | PR-AUC trapdoor | PR-AUC other | Brier | ECE | ECE, equal mass | TPR at 1 % FPR | ± | "
            "TPR at 5 % FPR |")
    cell = lambda value: str(value) if isinstance(value, int) else f"{value:.4f}"
    lines = [head, "|---" * 13 + "|"]
    lines += [f"| {name} | " + " | ".join(cell(card["evaluation"][name][key]) for key in columns) + " |" for name in card["evaluation"]]
    strongest = ", ".join(f"`{name}` {share:.1%}" for name, share in list(card["gainShare"].items())[:12])
    table = "\n".join(lines)
    return f"""# Model card: {card['name']}

Predicts how much a contract's opcodes resemble those of trapdoor tokens (tokens that can be bought but not sold, or not at a fair price).
`model.onnx` has SHA-256 `{card['sha256']}`; {card['trees']} trees of depth {card['params']['max_depth']}, seed {card['seed']}.

- **Input**: the share of each of {len(card['features'])} opcodes in the deployed code, by `opcodeHistogram` and `opcodeShares`, float32.
  Using shares instead of counts improves most on families of code that are new to the model.
- **Output**: one margin, the log-odds of a trapdoor; probability = 1 / (1 + exp(−margin)). Not calibrated further: see ECE.
- **Data**: {card['trainRows']} labelled contracts of the trapdoor study (arXiv 2309.04700), {card['trainShare']:.1%} of them trapdoors.

## Evaluation

Five folds, drawn {DRAWS} times: means, and ± the standard deviation over the draws. *random*: any row may be held out, as in a held-back part of the same set. *grouped*: codes whose opcode shares differ
by less than {NEAR_DISTANCE} in sum, and all codes linked by such pairs, are held out together, so that copies of a known code do not help.

{table}

**The exported model** is trained on all rows; the figures describe the procedure.

Share of the gain: {strongest}.

## Limits

- The authors of the study chose the contracts. Most are trapdoors, so the probability is far above the share among all new tokens.
- Opcode counts show how code was written and compiled, not what it does. Scores are less reliable for a code family that is new to the model:
  compare *grouped* with *random*. Compilers after 2022 (PUSH0 and later) are not in the data.
- Proxies must be followed to their implementation first: a proxy's own code shows nothing.
"""


def main():
    histograms, names_path, synthetic, artifacts, fixtures = sys.argv[1:]
    names = json.loads(pathlib.Path(names_path).read_text())
    x, label = load(histograms, names)
    evaluation = {"random": cross_validate(x, label, np.arange(len(label))), "grouped": cross_validate(x, label, near_groups(x))}
    booster, again = fit(x, label), fit(x, label)
    assert booster.save_raw("json") == again.save_raw("json"), "the same seed gave two models"
    base_margin, trees = tree_arrays(booster)
    model = onnx_model(base_margin, trees, len(names), MODEL_NAME)
    card = {
        "name": MODEL_NAME, "sha256": hashlib.sha256(model).hexdigest(), "seed": SEED, "trees": len(trees), "params": PARAMS,
        "features": names, "rugShareByAgeS": {}, "trainRows": len(label), "trainShare": float(label.mean()),
        "gainShare": gain_shares(booster, names), "evaluation": evaluation,
    }
    forest = {"name": MODEL_NAME, "features": names, "baseMargin": base_margin, "trees": trees}
    write_model(artifacts, model, forest, json.dumps(card, indent=1) + "\n", card_text(card))
    write_reference(booster, names, synthetic, pathlib.Path(fixtures), "contractReference.json.gz")
    print(f"{MODEL_NAME} {card['sha256']}: {len(trees)} trees, {len(model)} bytes")


if __name__ == "__main__":
    main()
