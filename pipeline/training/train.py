"""
Trains, calibrates, evaluates and exports the pool model.

usage: train.py <dataset.csv> <synthetic.csv> <artifacts folder> <fixtures folder>

Beside the data set it leaves `booster.ubj`, the same model for xgboost itself: `make bench` compares with it.

Nothing here is random beyond the fixed seed; one thread; the model is trained twice and must be equal.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np

import drift
import fitting
from cardText import card_text
from dataset import born_between, check_apart, load, part
from exportModel import card_json, onnx_model, tree_arrays
from metrics import report, roc_auc, threshold_at_fpr
from reference import write_reference

MODEL_NAME = "gbdt-onnx-3.0"
BOOSTER_FILE = "booster.ubj"
REPORTED_AGES_S = (60, 600, 3_600, 21_600, 86_400)
FIRST_DAY, LAST_DAY = "2020-09-01", "2021-11-01"
# Trained on what was born before the first day of a pair, tested on what was born from the second on.
FORWARD = {"forward2021": ("2021-09-18", "2021-09-26"), "from2020": ("2021-01-01", "2021-09-01")}
LAUNCH = ("first", "buysBeforeFirstSell", "secondsToFirst")
RECENT = ("last", "recent", "secondsSince")
# Features by the beginnings of their names; what is left out one by one.
GROUPS = {"creator": ("creator",), "liquidity": ("lp",), "launch": LAUNCH, "recent": RECENT}
# Share of right predictions that the service shows before it has outcomes of its own: of the forward test, at this age.
ACCURACY_TEST, ACCURACY_AGE_S = "forward2021", "3600"


def evaluate(data, margin, unknown, seen_creators):
    """Metrics by age, one row per token."""
    result = {}
    for age in REPORTED_AGES_S:
        at = data["age"] == age
        rows, score = part(data, at), 1 / (1 + np.exp(-margin[at]))
        _, first = np.unique(rows["token"], return_index=True)
        rows, score, without = part(rows, first), score[first], unknown[at][first]
        label = rows["y"]
        entry = report(label, score)
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


def forward(data, names, until, since):
    """Train and calibrate on the past alone, test on what came later."""
    past, later = born_between(data, FIRST_DAY, until), born_between(data, since, LAST_DAY)
    check_apart(past, later)
    calibration, _ = fitting.calibrate_forward(past, names, fitting.cross_fit(past, names))
    booster = fitting.fit(past, names)
    margin = fitting.apply(calibration, fitting.margins(booster, later["x"]), later["age"])
    bare = fitting.margins(booster, fitting.without_liquidity(later["x"], names))
    unknown = fitting.apply(calibration, bare, later["age"])
    return {"trainBorn": [FIRST_DAY, until], "testBorn": [since, LAST_DAY], "trainRows": len(past["y"]),
            "calibration": calibration, "metrics": evaluate(later, margin, unknown, set(past["creator"]))}


def aucs(data, margin):
    return {str(age): roc_auc(data["y"][data["age"] == age], margin[data["age"] == age]) for age in REPORTED_AGES_S}


def ablation(data, names):
    """ROC-AUC of the cross-fitted newest pools, with groups of features left out."""
    column_sets = {"market alone": [n for n in names if not n.startswith(("lp", "creator"))]}
    for group, prefixes in GROUPS.items():
        column_sets[f"without {group}"] = [n for n in names if not n.startswith(prefixes)]
    result = {}
    for title, kept in column_sets.items():
        held, margin, _ = fitting.cross_fit(data, names, [names.index(n) for n in kept])
        result[title] = aucs(held, margin)
    return result


def gain_shares(booster, names):
    gain = booster.get_score(importance_type="total_gain")
    gains = sorted(((names[int(key[1:])], value) for key, value in gain.items()), key=lambda item: -item[1])
    total = sum(value for _, value in gains)
    return {name: round(value / total, 4) for name, value in gains}


def main():
    dataset, synthetic, artifacts, fixtures = sys.argv[1:]
    names, data = load(dataset)
    crossed = fitting.cross_fit(data, names)
    calibration, rolled = fitting.calibrate_forward(data, names, crossed)
    booster, again = fitting.fit(data, names), fitting.fit(data, names)
    assert booster.save_raw("json") == again.save_raw("json"), "the same seed gave two models"
    newest = part(data, data["cohort"] == fitting.NEWEST_COHORT)
    cover = np.bincount(fitting.age_group(newest["age"]), minlength=len(fitting.AGE_LIMITS_S) + 1)
    folded = fitting.fold_calibration(booster, calibration, names.index("ageS"), cover)
    expected = fitting.apply(calibration, fitting.margins(booster, data["x"]), data["age"])
    assert np.abs(fitting.margins(folded, data["x"]) - expected).max() < 1e-4, "folding changed the margin"
    base_margin, trees = tree_arrays(folded)
    model = onnx_model(base_margin, trees, len(names), MODEL_NAME)
    print(f"{MODEL_NAME} {hashlib.sha256(model).hexdigest()}: {len(trees)} trees, {len(model)} bytes", flush=True)
    folded.set_attr(sha256=hashlib.sha256(model).hexdigest())
    folded.save_model(pathlib.Path(dataset).with_name(BOOSTER_FILE))
    evaluation = {name: forward(data, names, *days) for name, days in FORWARD.items()}
    for title, (rows, known, unknown) in (("rollingOrigin2021", rolled), ("crossFitted2021", crossed),
                                          ("byCreator2021", fitting.by_creator(data, names))):
        evaluation[title] = {"metrics": evaluate(rows, known, unknown, set())}
    card = {
        "name": MODEL_NAME, "sha256": hashlib.sha256(model).hexdigest(), "seed": fitting.SEED,
        "trees": len(trees), "params": fitting.PARAMS, "features": names,
        "calibration": {"method": "slope, intercept and offsets by age, folded into the trees", **calibration},
        "accuracy": evaluation[ACCURACY_TEST]["metrics"][ACCURACY_AGE_S]["accuracy"],
        "output": "margin = calibrated log-odds of a rug within 7 days; probability = 1 / (1 + exp(-margin))",
        "trainRows": len(data["y"]), "trainPools": len(set(data["pool"])), "newestPools": len(set(newest["pool"])),
        "trainRugShare": float(np.mean(data["y"])),
        "rugShareByAgeS": {str(age): float(np.mean(newest["y"][newest["age"] == age])) for age in np.unique(data["age"])},
        "featureDeciles": drift.deciles(part(newest, newest["age"] == int(ACCURACY_AGE_S)), names),
        "gainShare": gain_shares(booster, names),
        "ablation": {"all groups": aucs(*crossed[:2]), **ablation(data, names)},
        "evaluation": evaluation,
    }
    folder = pathlib.Path(artifacts)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    forest = {"name": MODEL_NAME, "features": names, "baseMargin": base_margin, "trees": trees}
    (folder / "trees.json").write_text(json.dumps(forest, separators=(",", ":")) + "\n")
    (folder / "card.json").write_text(card_json(card))
    (folder / "card.md").write_text(card_text(card))
    write_reference(folded, names, synthetic, pathlib.Path(fixtures), "xgboostReference.json.gz")


if __name__ == "__main__":
    main()
