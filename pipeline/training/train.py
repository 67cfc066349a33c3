"""
Trains, calibrates, evaluates and exports the pool model.

usage: train.py <dataset.csv> <synthetic.csv> <artifacts folder> <fixtures folder>

Nothing here is random beyond the fixed seed; one thread; the model is trained twice and must be equal.
"""

import csv
import datetime
import hashlib
import json
import pathlib
import sys

import numpy as np
import xgboost as xgb

from cardText import card_text
from exportModel import fold_calibration, onnx_model, tree_arrays
from metrics import report, roc_auc, threshold_at_fpr

MODEL_NAME = "gbdt-onnx-1.0"
SEED = 20_260_101
ROUNDS = 250
PARAMS = {
    "objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_depth": 4, "eta": 0.04,
    "subsample": 0.7, "colsample_bytree": 0.4, "min_child_weight": 30, "reg_lambda": 10,
    "nthread": 1, "seed": SEED,
}
REPORTED_AGES_S = (60, 600, 3_600, 21_600, 86_400)
META = ("pool", "token", "creator", "cohort", "first_s", "horizon_s", "label", "lead_s")
DAY_S = 86_400
# A pool's last snapshot is a day old and its outcome is known 7 days later: the gap between two parts.
EMBARGO_S = 8 * DAY_S


def load(path):
    with open(path, newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        body = list(rows)
    meta = {name: np.array([row[i] for row in body]) for i, name in enumerate(names[:len(META)])}
    data = {
        "x": np.array([[float(c) if c else np.nan for c in row[len(META):]] for row in body], np.float32),
        "y": meta["label"].astype(float),
        "born": meta["first_s"].astype(float),
        "age": meta["horizon_s"].astype(int),
        "lead": np.array([float(v) if v else np.nan for v in meta["lead_s"]]),
        "creator": meta["creator"], "token": meta["token"],
    }
    return names[len(META):], data


def part(data, chosen):
    return {key: value[chosen] for key, value in data.items()}


def born_between(data, since, until):
    seconds = [datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp() for day in (since, until)]
    return part(data, (data["born"] >= seconds[0]) & (data["born"] < seconds[1]))


def check_apart(parts):
    """Parts follow each other with the embargo between, and share no token."""
    for earlier, later in zip(parts, parts[1:]):
        assert later["born"].min() - earlier["born"].max() >= EMBARGO_S, "embargo"
        assert not set(earlier["token"]) & set(later["token"]), "a token in two parts"


def train(data):
    matrix = xgb.DMatrix(data["x"], data["y"])
    first, second = (xgb.train(PARAMS, matrix, ROUNDS) for _ in range(2))
    assert first.save_raw("json") == second.save_raw("json"), "the same seed gave two models"
    return first


def margins(booster, x):
    return booster.predict(xgb.DMatrix(x), output_margin=True).astype(float)


def platt(booster, data):
    """Slope and intercept by Newton's method on the reported ages, every age with the same weight."""
    data = part(data, np.isin(data["age"], REPORTED_AGES_S))
    counts = {age: np.sum(data["age"] == age) for age in REPORTED_AGES_S}
    weight = np.array([1 / counts[age] for age in data["age"]])
    inputs = np.stack([margins(booster, data["x"]), np.ones(len(data["y"]))], axis=1)
    solution = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-inputs @ solution))
        gradient = inputs.T @ (weight * (p - data["y"]))
        hessian = (inputs * (weight * p * (1 - p))[:, None]).T @ inputs
        solution -= np.linalg.solve(hessian, gradient)
    assert solution[0] > 0 and np.abs(gradient).max() < 1e-9, "calibration did not converge"
    return float(solution[0]), float(solution[1])


def evaluate(booster, test, seen_creators, baseline_column, train_rug_share):
    """Metrics by horizon, one row per token, beside liquidity alone and a constant."""
    result = {}
    for age in REPORTED_AGES_S:
        rows = part(test, test["age"] == age)
        assert len(set(rows["token"])) == len(rows["token"]), "a token twice"
        label, score = rows["y"], 1 / (1 + np.exp(-margins(booster, rows["x"])))
        entry = report(label, score)
        entry["baselineRocAuc"] = roc_auc(label, rows["x"][:, baseline_column].astype(float))
        entry["baselineBrier"] = float(np.mean((train_rug_share[age] - label) ** 2))
        fresh = np.array([c not in seen_creators for c in rows["creator"]])
        entry["newCreatorRows"] = int(fresh.sum())
        entry["newCreatorRocAuc"] = roc_auc(label[fresh], score[fresh])
        _, one_each = np.unique(rows["creator"], return_index=True)
        entry["onePerCreatorRocAuc"] = roc_auc(label[one_each], score[one_each])
        caught = (score >= threshold_at_fpr(label, score, 0.05)) & (label == 1)
        entry["medianLeadHoursAt5PercentFpr"] = float(np.median(rows["lead"][caught]) / 3_600) if caught.any() else None
        result[str(age)] = entry
    return result


def protocol(data, train_span, calibrate_span, tests, baseline_column):
    """Train, calibrate later, test later still."""
    fit, later = born_between(data, *train_span), born_between(data, *calibrate_span)
    booster = train(fit)
    calibrated = fold_calibration(booster, *platt(booster, later))
    share = {age: float(np.mean(fit["y"][fit["age"] == age])) for age in REPORTED_AGES_S}
    metrics = {}
    for name, span in tests.items():
        test = born_between(data, *span)
        check_apart([fit, later, test])
        assert not set(fit["token"]) & set(test["token"]), "a token in two parts"
        metrics[name] = evaluate(calibrated, test, set(fit["creator"]), baseline_column, share)
    return {"trainBorn": train_span, "calibrateBorn": calibrate_span, "trainRows": len(fit["y"]),
            "calibrateRows": len(later["y"]), "testBorn": tests, "metrics": metrics}


def ship(data):
    """
    The exported model: trained on everything with the settings evaluated above, calibrated by the forward
    predictions of a model of 2020 on the pools of 2021.
    """
    past, recent = born_between(data, "2020-09-01", "2021-01-01"), born_between(data, "2021-09-01", "2021-11-01")
    check_apart([past, recent])
    slope, intercept = platt(train(past), recent)
    return fold_calibration(train(data), slope, intercept), slope, intercept


def write_reference(booster, names, synthetic_path, folder):
    """Margins and contributions by xgboost itself for synthetic vectors, the yardstick of the TypeScript tests."""
    with open(synthetic_path, newline="") as file:
        rows = csv.reader(file)
        assert next(rows) == names, "synthetic vectors have other features"
        x = np.array([[float(c) if c else np.nan for c in row] for row in rows], np.float32)
    matrix = xgb.DMatrix(x)
    cell = lambda v: None if np.isnan(v) else float(str(v))
    reference = {
        "rows": [[cell(v) for v in row] for row in x],
        "margins": [cell(v) for v in booster.predict(matrix, output_margin=True)],
        "contributions": [[cell(v) for v in row] for row in booster.predict(matrix, pred_contribs=True)],
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "xgboostReference.json").write_text(json.dumps(reference, separators=(",", ":")) + "\n")


def main():
    dataset, synthetic, artifacts, fixtures = sys.argv[1:]
    names, data = load(dataset)
    baseline = names.index("currentBase")
    evaluation = {
        "early2020": protocol(
            data, ("2020-09-01", "2020-10-04"), ("2020-10-12", "2020-10-18"),
            {"late2020": ("2020-10-26", "2021-01-01"), "2021": ("2021-09-01", "2021-11-01")}, baseline),
        "all2020": protocol(
            data, ("2020-09-01", "2021-01-01"), ("2021-09-01", "2021-09-16"),
            {"late2021": ("2021-09-24", "2021-11-01")}, baseline),
    }
    booster, slope, intercept = ship(data)
    base_margin, trees = tree_arrays(booster)
    model = onnx_model(base_margin, trees, len(names), MODEL_NAME)
    gain = booster.get_score(importance_type="total_gain")
    gains = sorted(((names[int(key[1:])], value) for key, value in gain.items()), key=lambda item: -item[1])
    total = sum(value for _, value in gains)
    card = {
        "name": MODEL_NAME, "sha256": hashlib.sha256(model).hexdigest(), "seed": SEED, "rounds": ROUNDS,
        "params": PARAMS, "features": names,
        "calibration": {"method": "platt, folded into leaves and base margin", "slope": slope, "intercept": intercept},
        "output": "margin = calibrated log-odds of a rug within 7 days; probability = 1 / (1 + exp(-margin))",
        "trainRows": len(data["y"]), "trainPools": len(set(data["token"])), "trainRugShare": float(np.mean(data["y"])),
        "rugShareByAgeS": {str(age): float(np.mean(data["y"][data["age"] == age])) for age in np.unique(data["age"])},
        "gainShare": {name: round(value / total, 4) for name, value in gains},
        "evaluation": evaluation,
    }
    folder = pathlib.Path(artifacts)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    forest = {"name": MODEL_NAME, "features": names, "baseMargin": base_margin, "trees": trees}
    (folder / "trees.json").write_text(json.dumps(forest, separators=(",", ":")) + "\n")
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n")
    (folder / "card.md").write_text(card_text(card))
    write_reference(booster, names, synthetic, pathlib.Path(fixtures))
    print(f"{MODEL_NAME} {card['sha256']}: {len(trees)} trees, {len(model)} bytes")


if __name__ == "__main__":
    main()
