"""
Trains a model of markets older than a day on the tokens of one chain, and keeps it if it predicts later
snapshots better than the model in force.

usage: retrainLives.py <lives.csv> <in_force.csv> <options.json> <output folder>

`in_force.csv` has the margin of the model in force for each row of the data set, empty where it was trained on the row. The folder gets
`card.md`, and the files of the model if it is kept.
"""

import hashlib
import json
import pathlib
import sys

import numpy as np

from dataset import DAY_S, load, margins_in_force, owners, part
from exportModel import card_json, onnx_model, tree_arrays, write_model
from metrics import report
from retrain import interval, logistic, losses
from trainLives import base_rates, fit, probability

WEEK_S = 7 * DAY_S
# Newest share of snapshots, used as the test; minimum pools of the test, of its training data, and of each outcome.
TEST_SHARE, TEST_POOLS_MIN, PAST_POOLS_MIN, EACH_OUTCOME_MIN = 0.25, 100, 200, 30


def forward(data, in_force):
    """A model trained on the snapshots whose outcome was known before the newest ones; both models are tested on the newest."""
    at = data["born"] + data["age"]
    since = np.quantile(at, 1 - TEST_SHARE) if len(at) else 0
    later, past = (at >= since) & ~np.isnan(in_force), at < since - WEEK_S
    tested, learnt = len(set(data["pool"][later])), len(set(data["pool"][past]))
    result = {"testedPools": tested, "learntPools": learnt}
    fewest = min((np.sum(data["y"][rows] == label) for rows in (later, past) for label in (0, 1)), default=0)
    if tested < TEST_POOLS_MIN or learnt < PAST_POOLS_MIN or fewest < EACH_OUTCOME_MIN:
        return {**result, "omitted": f"{learnt} pools before the newest snapshots and {tested} in them, {fewest} snapshots of the rarer outcome: "
                                     f"{PAST_POOLS_MIN}, {TEST_POOLS_MIN} and {EACH_OUTCOME_MIN} are needed"}
    rows = part(data, later)
    said, before = probability(fit(part(data, past)), rows), logistic(in_force[later])
    gain = losses(rows["y"], before) - losses(rows["y"], said)
    return {
        **result, "logLossGain": interval(gain, owners(rows)),
        "metrics": {"candidate": report(rows["y"], said), "inForce": report(rows["y"], before)},
    }


def card_text(name, compared_with, evaluation):
    lines = [f"# Model of markets older than a day: {name}", ""]
    if "omitted" in evaluation:
        return "\n".join([*lines, f"{compared_with} stays: {evaluation['omitted']}."]) + "\n"
    lines += ["| model | snapshots | drained or unsellable in a week | ROC-AUC | Brier | ECE |", "|---" * 6 + "|"]
    for who, title in (("candidate", "this recipe"), ("inForce", compared_with)):
        m = evaluation["metrics"][who]
        lines.append(f"| {title} | {m['rows']} | {m['rugShare']:.1%} | {m['rocAuc']:.3f} | {m['brier']:.3f} | {m['ece']:.3f} |")
    gain = evaluation["logLossGain"]
    kept = "it is kept" if gain["low"] > 0 else f"{compared_with} stays"
    return "\n".join([*lines, "", f"Trained on {evaluation['learntPools']} pools, tested on later snapshots of {evaluation['testedPools']}. "
                                  f"Log-loss less by {gain['mean']:.3f} ({gain['low']:.3f} to {gain['high']:.3f}, 95 %): {kept}."]) + "\n"


def main():
    dataset, in_force_file, options_file, folder = sys.argv[1:]
    options = json.loads(pathlib.Path(options_file).read_text())
    names, data = load(dataset)
    in_force = margins_in_force(in_force_file, data)
    name = f"{options['name']}-life"
    evaluation = forward(data, in_force)
    text = card_text(name, options["lifeInForce"], evaluation)
    if evaluation.get("logLossGain", {"low": 0})["low"] <= 0:
        (pathlib.Path(folder) / "card.md").write_text(text)
        return
    base_margin, trees = tree_arrays(fit(data))
    model = onnx_model(base_margin, trees, len(names), name)
    card = {
        "name": name, "sha256": hashlib.sha256(model).hexdigest(), "trees": len(trees), "features": names, "trainRows": len(data["y"]),
        "trainPools": len(set(data["pool"])), "rugShareByAgeS": {age: share for age, share in base_rates(data).items() if 0 < share < 1},
        "comparedWith": options["lifeInForce"], "evaluation": {"forward": evaluation},
    }
    write_model(folder, model, {"name": name, "features": names, "baseMargin": base_margin, "trees": trees}, card_json(card), text)


if __name__ == "__main__":
    main()
