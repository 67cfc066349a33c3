"""
Trains, calibrates, evaluates and exports the pool model.

usage: train.py <dataset.csv> <synthetic.csv> <artifacts folder> <fixtures folder>

Writes `booster.ubj` beside the data set: the same model in xgboost's format, with which `make bench` compares.

Deterministic: a fixed seed and one thread. The model is trained twice, and both results must be equal.
"""

import hashlib
import pathlib
import sys

import numpy as np
import xgboost as xgb

import drift
import fitting
from cardText import card_text
from dataset import born_between, check_apart, load, owners, part
from exportModel import card_json, gain_shares, onnx_model, tree_arrays, write_model
from metrics import report, roc_auc, roc_auc_interval, threshold_at_fpr
from reference import write_reference

MODEL_NAME = "gbdt-onnx-4.0"
BOOSTER_FILE = "booster.ubj"
REPORTED_AGES_S = (60, 600, 3_600, 21_600, 86_400)
FIRST_DAY, LAST_DAY = "2020-09-01", "2021-11-01"
# Training: pools born before the first day. Test: pools born from the second day until before the third.
FORWARD = {
    "forward2021": ("2021-09-18", "2021-09-26", LAST_DAY),
    "from2020": ("2021-01-01", "2021-09-01", LAST_DAY),
    "within2020": ("2020-09-26", "2020-10-04", "2021-01-01"),
}
# The baseline of every model here: shallow boosted trees on the first features, one model for each age.
PLAIN_FEATURES, PLAIN_ROUNDS = 45, 100
PLAIN_PARAMS = {
    "objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_depth": 3, "eta": 0.05, "subsample": 0.8,
    "colsample_bytree": 0.8, "min_child_weight": 5, "nthread": 1, "seed": fitting.SEED,
}
# The service shows the accuracy of this test at this age until it has outcomes of its own.
ACCURACY_TEST, ACCURACY_AGE_S = "forward2021", "3600"


def plain_margins(past, later):
    margin = np.zeros(len(later["y"]))
    for age in np.unique(later["age"]):
        learnt, asked = past["age"] == age, later["age"] == age
        matrix = xgb.DMatrix(past["x"][learnt][:, :PLAIN_FEATURES], past["y"][learnt])
        booster = xgb.train(PLAIN_PARAMS, matrix, PLAIN_ROUNDS)
        margin[asked] = fitting.margins(booster, later["x"][asked][:, :PLAIN_FEATURES])
    return margin


def evaluate(data, margin, unknown, seen_creators, plain=None):
    """Metrics by age, one row per token. Given margins of the plain model, also compares with it."""
    result = {}
    for age in REPORTED_AGES_S:
        at = data["age"] == age
        rows, score = part(data, at), 1 / (1 + np.exp(-margin[at]))
        _, first = np.unique(rows["token"], return_index=True)
        rows, score, without = part(rows, first), score[first], unknown[at][first]
        label = rows["y"]
        entry = report(label, score)
        entry["rocAucInterval"] = roc_auc_interval(label, score, owners(rows))
        if plain is not None:
            other = plain[at][first]
            entry["plainRocAuc"] = roc_auc(label, other)
            entry["plainEce"] = report(label, 1 / (1 + np.exp(-other)))["ece"]
            entry["abovePlainInterval"] = roc_auc_interval(label, score, owners(rows), other)
        entry["withoutLiquidityRocAuc"] = roc_auc(label, without)
        entry["withoutLiquidityEce"] = report(label, 1 / (1 + np.exp(-without)))["ece"]
        fresh = np.array([c not in seen_creators for c in rows["creator"]])
        entry["newCreatorRows"] = int(fresh.sum())
        entry["newCreatorRocAuc"] = roc_auc(label[fresh], score[fresh]) if fresh.any() else None
        _, one_each = np.unique(rows["creator"], return_index=True)
        entry["onePerCreatorRocAuc"] = roc_auc(label[one_each], score[one_each])
        caught = (score >= threshold_at_fpr(label, score, 0.05)) & (label == 1)
        entry["medianLeadHoursAt5PercentFpr"] = float(np.median(rows["lead"][caught]) / 3_600) if caught.any() else None
        result[str(age)] = entry
    return result


def forward(data, names, until, since, last):
    """Trains and calibrates on the past only, and tests on later pools."""
    past, later = born_between(data, FIRST_DAY, until), born_between(data, since, last)
    check_apart(past, later)
    rolled, ahead, _ = fitting.roll_forward(past, names)
    slope, _ = fitting.calibrate(ahead, rolled)
    booster = fitting.scaled(fitting.fit(past, names), slope)
    margin = fitting.margins(booster, later["x"])
    unknown = fitting.margins(booster, fitting.without_liquidity(later["x"], names))
    return {"trainBorn": [FIRST_DAY, until], "testBorn": [since, last], "trainRows": len(past["y"]),
            "slope": slope, "metrics": evaluate(later, margin, unknown, set(past["creator"]), plain_margins(past, later))}


def main():
    dataset, synthetic, artifacts, fixtures = sys.argv[1:]
    names, data = load(dataset)
    rolled = fitting.roll_forward(data, names)
    # The intercept is dropped: the share of rugs of the last recorded weeks does not apply to other years and chains.
    slope, _ = fitting.calibrate(rolled[1], rolled[0])
    booster, again = fitting.fit(data, names), fitting.fit(data, names)
    assert booster.save_raw("json") == again.save_raw("json"), "the same seed gave two models"
    newest = part(data, data["cohort"] == fitting.NEWEST_COHORT)
    calibrated = fitting.scaled(booster, slope)
    expected = slope * fitting.margins(booster, data["x"])
    assert np.abs(fitting.margins(calibrated, data["x"]) - expected).max() < 1e-4, "scaling changed the margin"
    base_margin, trees = tree_arrays(calibrated)
    model = onnx_model(base_margin, trees, len(names), MODEL_NAME)
    print(f"{MODEL_NAME} {hashlib.sha256(model).hexdigest()}: {len(trees)} trees, {len(model)} bytes", flush=True)
    calibrated.set_attr(sha256=hashlib.sha256(model).hexdigest())
    calibrated.save_model(pathlib.Path(dataset).with_name(BOOSTER_FILE))
    evaluation = {name: forward(data, names, *days) for name, days in FORWARD.items()}
    rows, known, unknown = rolled
    evaluation["rollingOrigin2021"] = {"metrics": evaluate(rows, known, unknown, set())}
    card = {
        "name": MODEL_NAME, "sha256": hashlib.sha256(model).hexdigest(), "seed": fitting.SEED,
        "trees": len(trees), "params": fitting.PARAMS, "lateParams": fitting.LATE_PARAMS, "lateAgeS": fitting.LATE_AGE_S,
        "features": names,
        "calibration": {"method": "slope, multiplied into the leaves", "slope": slope},
        "accuracy": evaluation[ACCURACY_TEST]["metrics"][ACCURACY_AGE_S]["accuracy"],
        "output": "margin = calibrated log-odds of a rug within 7 days; probability = 1 / (1 + exp(-margin))",
        "trainRows": len(data["y"]), "trainPools": len(set(data["pool"])), "newestPools": len(set(newest["pool"])),
        "trainRugShare": float(np.mean(data["y"])),
        "rugShareByAgeS": {str(age): float(np.mean(newest["y"][newest["age"] == age])) for age in np.unique(data["age"])},
        "featureDeciles": drift.deciles(part(newest, newest["age"] == int(ACCURACY_AGE_S)), names),
        "gainShare": gain_shares(booster, names),
        "evaluation": evaluation,
    }
    forest = {"name": MODEL_NAME, "features": names, "baseMargin": base_margin, "trees": trees}
    write_model(artifacts, model, forest, card_json(card), card_text(card))
    write_reference(calibrated, names, synthetic, pathlib.Path(fixtures), "xgboostReference.json.gz")


if __name__ == "__main__":
    main()
