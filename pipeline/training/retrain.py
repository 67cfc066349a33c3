"""
Trains a model of the market on the tokens of one chain, and compares the recipe with the model in force on later ones.

usage: retrain.py <dataset.csv> <in_force.csv> <options.json> <output folder>

`in_force.csv` has the margin of the model in force for each row of the data set, empty where it was trained on the row.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np

import drift
import fitting
from dataset import DAY_S, EMBARGO_S, load, margins_in_force, owners, part
from exportModel import card_json, onnx_model, tree_arrays, write_model
from metrics import report

REPORTED_AGES_S = (600, 3_600, 21_600, 86_400)
# Newest share of tokens, used as the test of the recipe; minimum tokens of the test and of its training data.
TEST_SHARE, TEST_TOKENS_MIN, PAST_TOKENS_MIN = 0.25, 50, 100
# Launches change: a token has half the weight of one launched this many days later.
HALF_LIFE_DAYS = 7
# Newest share of rows, used for calibration in folds by creator.
CALIBRATED_SHARE, FOLDS = 0.25, 4
# Probabilities nearer to 0 or 1 are clipped when losses are compared.
PROBABILITY_MIN = 1e-3
DRAWS = 2_000
# The age of the one row per token that is compared: the age of outcomes.
COMPARED_AGE_S = 3_600


def logistic(margin):
    return 1 / (1 + np.exp(-margin))


def losses(label, probability):
    p = np.clip(probability, PROBABILITY_MIN, 1 - PROBABILITY_MIN)
    return -np.where(label == 1, np.log(p), np.log(1 - p))


def train(data, names):
    """
    The booster with the calibrated slope, its intercept, the calibration, and the rows it was fitted to: the newest tokens,
    predicted by boosters trained without the tokens of their creators. Recent launches have more weight. Unlike in train.py, no
    time span is held out: if launches change, a model without the newest span predicts it wrongly. The intercept is kept because
    trees learn the share of rugs of all weeks, and the next week resembles the last ones of its chain.
    """
    weight = 0.5 ** ((data["born"].max() - data["born"]) / DAY_S / HALF_LIFE_DAYS)
    data = {**data, "weight": weight * len(weight) / weight.sum()}
    creators, owner = np.unique(owners(data), return_inverse=True)
    fold = np.random.default_rng(fitting.SEED).permutation(len(creators))[owner] % FOLDS
    newest = data["born"] >= np.quantile(data["born"], 1 - CALIBRATED_SHARE)
    held = [(newest & (fold == i), fitting.fit(part(data, fold != i), names)) for i in range(FOLDS)]
    rows = part(data, np.concatenate([np.flatnonzero(at) for at, _ in held]))
    margin = np.concatenate([fitting.margins(booster, data["x"][at]) for at, booster in held])
    slope, intercept = fitting.calibrate(margin, rows)
    return fitting.scaled(fitting.fit(data, names), slope), {"slope": slope, "intercept": intercept}, rows


def interval(gain, creators):
    """The mean gain with its 95 % interval from resampling creators, each with all of its tokens."""
    _, owner = np.unique(creators, return_inverse=True)
    sums, counts = np.bincount(owner, gain), np.bincount(owner)
    drawn = np.random.default_rng(fitting.SEED).integers(0, len(sums), (DRAWS, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return {"mean": float(gain.mean()), "low": float(low), "high": float(high)}


def forward(data, names, in_force):
    """Trains the recipe on the past only, with the embargo, and tests it and the model in force on the newest tokens."""
    born = np.array(sorted(dict(zip(data["token"], data["born"])).values()))
    since = born[int(len(born) * (1 - TEST_SHARE))]
    later, past = data["born"] >= since, data["born"] < since - EMBARGO_S
    tested, learnt = len(set(data["token"][later])), len(set(data["token"][past]))
    result = {"testedTokens": tested, "learntTokens": learnt}
    if tested < TEST_TOKENS_MIN or learnt < PAST_TOKENS_MIN or len(set(data["y"][past])) < 2:
        return {**result, "omitted": f"{learnt} tokens lie over 8 days before the newest {tested}: {PAST_TOKENS_MIN} and {TEST_TOKENS_MIN} are needed"}
    try:
        booster, calibration, _ = train(part(data, past), names)
    except fitting.NotCalibrated as reason:
        return {**result, "omitted": f"at that time, {reason}"}
    rows = part(data, later)
    margin = fitting.margins(booster, rows["x"]) + calibration["intercept"]
    known = in_force[later]
    result["metrics"] = {}
    for age in REPORTED_AGES_S:
        at = rows["age"] == age
        if len(set(rows["y"][at])) < 2:
            continue
        entry = {"candidate": report(rows["y"][at], logistic(margin[at]))}
        both = at & ~np.isnan(known)
        if both.any() and len(set(rows["y"][both])) == 2:
            entry["inForce"] = report(rows["y"][both], logistic(known[both]))
        result["metrics"][str(age)] = entry
    both = (rows["age"] == COMPARED_AGE_S) & ~np.isnan(known)
    if both.sum() >= TEST_TOKENS_MIN:
        label = rows["y"][both]
        gain = losses(label, logistic(known[both])) - losses(label, logistic(margin[both]))
        result["logLossGain"] = interval(gain, owners(part(rows, both)))
    return result


def card_text(card):
    lines = [
        f"# Model card: {card['name']}", "",
        f"`{card['sha256']}`, trained on {card['tokens']} tokens of chain {card['chainId']} ({card['trainRows']} snapshots, "
        f"{card['trainRugShare']:.1%} of them before a rug), born {card['bornFrom']} to {card['bornUntil']}; "
        f"outcomes known by {card['trainedUntil']}.",
    ]
    evaluation = card["evaluation"]["forward"]
    if "metrics" in evaluation:
        lines += ["", "| age | model | tokens | rugs | ROC-AUC | Brier | ECE | predicted − seen |", "|---" * 8 + "|"]
    for age, entry in evaluation.get("metrics", {}).items():
        for who, title in (("candidate", "this recipe"), ("inForce", card["comparedWith"])):
            if who in entry:
                m = entry[who]
                lines.append(f"| {int(age) // 60} min | {title} | {m['rows']} | {m['rugShare']:.1%} | {m['rocAuc']:.3f} | {m['brier']:.3f} | {m['ece']:.3f} | {m['bias']:+.3f} |")
    if "omitted" in evaluation:
        lines += ["", f"Not tested forward in time: {evaluation['omitted']}."]
    else:
        lines += ["", f"Trained on {evaluation['learntTokens']} tokens, tested on the {evaluation['testedTokens']} newest, with 8 days between. "
                      "The model that is stored has learnt from all of them."]
    if "logLossGain" in evaluation:
        gain = evaluation["logLossGain"]
        lines += ["", f"Log-loss at 1 h less than that of {card['comparedWith']} by {gain['mean']:.3f} ({gain['low']:.3f} to {gain['high']:.3f}, 95 %)."]
    return "\n".join(lines) + "\n"


def day(seconds):
    return str(np.datetime64(int(seconds), "s"))


def main():
    dataset, in_force_file, options_file, folder = sys.argv[1:]
    options = json.loads(pathlib.Path(options_file).read_text())
    names, data = load(dataset)
    in_force = margins_in_force(in_force_file, data)
    try:
        booster, calibration, newest = train(data, names)
    except fitting.NotCalibrated as reason:
        sys.exit(f"No model was trained: {reason}. Try again when more outcomes are known.")
    base_margin, trees = tree_arrays(booster)
    base_margin = fitting.short(base_margin + calibration["intercept"])
    model = onnx_model(base_margin, trees, len(names), options["name"])
    # The share in the rows that the intercept was fitted to: the prior that the margin contains.
    shares = {str(age): float(np.mean(newest["y"][newest["age"] == age])) for age in np.unique(newest["age"])}
    card = {
        "name": options["name"], "sha256": hashlib.sha256(model).hexdigest(), "chainId": options["chainId"], "seed": fitting.SEED,
        "trees": len(trees), "params": fitting.PARAMS, "lateParams": fitting.LATE_PARAMS, "lateAgeS": fitting.LATE_AGE_S,
        "features": names, "calibration": {"method": "slope, multiplied into the leaves, and intercept", **calibration},
        "tokens": len(set(data["token"])), "trainRows": len(data["y"]), "trainRugShare": float(np.mean(data["y"])),
        "bornFrom": day(data["born"].min()), "bornUntil": day(data["born"].max()), "trainedUntil": day(options["untilS"]),
        "rugShareByAgeS": {age: share for age, share in shares.items() if 0 < share < 1},
        "featureDeciles": drift.deciles(part(data, data["age"] == COMPARED_AGE_S), names),
        "comparedWith": options["inForce"],
        "evaluation": {"forward": forward(data, names, in_force)},
    }
    forest = {"name": options["name"], "features": names, "baseMargin": base_margin, "trees": trees}
    write_model(folder, model, forest, card_json(card), card_text(card))


if __name__ == "__main__":
    main()
