"""Training, cross-fitting and calibration of the pool model."""

import json

import numpy as np
import xgboost as xgb

from dataset import EMBARGO_S, part

SEED = 20_260_101
PARAMS = {
    "objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_depth": 3, "eta": 0.04, "subsample": 0.7,
    "colsample_bytree": 0.2, "colsample_bynode": 0.5, "min_child_weight": 80, "reg_lambda": 10, "nthread": 1, "seed": SEED,
}
ROUNDS = 350
# Four fifths of the rows are younger than this, and other features matter for old pools than for young ones. So further trees
# are boosted on the older rows only. As these are fewer, leaves may be smaller.
LATE_AGE_S = 21_600
LATE_PARAMS = {**PARAMS, "min_child_weight": 20}
LATE_ROUNDS = 120
# Launches change over the years, so the newest cohort has more weight.
NEWEST_COHORT, NEWEST_WEIGHT = "2021", 4.0
# Liquidity transfers are recorded for the newest cohort only. Each of its rows is also trained on without them, with this
# share of its weight; otherwise a missing value would only mean "older cohort".
WITHOUT_LIQUIDITY = 0.25
LIQUIDITY_PREFIX = "lp"
CALIBRATION_BLOCKS = 4


def liquidity_columns(names):
    return [i for i, name in enumerate(names) if name.startswith(LIQUIDITY_PREFIX)]


def without_liquidity(x, names):
    x = x.copy()
    x[:, liquidity_columns(names)] = np.nan
    return x


def fit(data, names):
    """One booster whose last trees apply only to the older rows."""
    newest = data["cohort"] == NEWEST_COHORT
    weight = np.where(newest, NEWEST_WEIGHT * (1 - WITHOUT_LIQUIDITY), 1.0) * data.get("weight", 1.0)
    x = np.vstack([data["x"], without_liquidity(data["x"][newest], names)])
    label = np.append(data["y"], data["y"][newest])
    weight = np.append(weight, np.full(newest.sum(), NEWEST_WEIGHT * WITHOUT_LIQUIDITY))
    booster = xgb.train(PARAMS, xgb.DMatrix(x, label, weight=weight), ROUNDS)
    late = np.append(data["age"], data["age"][newest]) >= LATE_AGE_S
    if not late.any() or late.all():
        return booster
    older = xgb.DMatrix(x[late], label[late], weight=weight[late])
    booster = xgb.train(LATE_PARAMS, older, LATE_ROUNDS, xgb_model=booster)
    return only_late(booster, names.index("ageS"), np.sum(weight[~late]) / np.sum(weight[late]))


def margins(booster, x):
    return booster.predict(xgb.DMatrix(x), output_margin=True).astype(float)


def newest_blocks(data):
    """Spans of birth times that divide the newest pools (the newest cohort, or the last quarter) into equal parts."""
    newest = data["cohort"] == NEWEST_COHORT
    if not newest.any():
        newest = data["born"] >= np.quantile(data["born"], 0.75)
    born = np.unique(data["born"][newest])
    edges = [born[0], *np.quantile(born, np.arange(1, CALIBRATION_BLOCKS) / CALIBRATION_BLOCKS), born[-1] + 1]
    return list(zip(edges, edges[1:]))


def roll_forward(data, names):
    """
    Rows of the newest pools except the first block. The margins of each block come from a booster trained only on pools that
    ended, with the embargo, before the block began: a forecast of the next weeks. Also the margins without liquidity.
    """
    rows, known, unknown = [], [], []
    for since, until in newest_blocks(data)[1:]:
        later = part(data, (data["born"] >= since) & (data["born"] < until))
        booster = fit(part(data, data["born"] < since - EMBARGO_S), names)
        rows.append(later)
        known.append(margins(booster, later["x"]))
        unknown.append(margins(booster, without_liquidity(later["x"], names)))
    return {key: np.concatenate([later[key] for later in rows]) for key in data}, np.concatenate(known), np.concatenate(unknown)


class NotCalibrated(Exception):
    """Margins rank tokens no better than chance, so they cannot be calibrated."""


def calibrate(margin, data):
    """
    Slope and intercept for which logistic(slope * margin + intercept) is a probability; Newton steps, every age with the same weight.
    Raises NotCalibrated if higher margins do not mean more rugs.
    """
    counts = {age: np.sum(data["age"] == age) for age in np.unique(data["age"])}
    weight = np.array([1 / counts[age] for age in data["age"]]) * np.mean(list(counts.values()))
    inputs = np.column_stack([margin, np.ones(len(margin))])
    solution = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-inputs @ solution))
        gradient = inputs.T @ (weight * (p - data["y"]))
        solution -= np.linalg.solve((inputs * (weight * p * (1 - p))[:, None]).T @ inputs, gradient)
    if not (solution[0] > 0 and np.abs(gradient).max() < 1e-6):
        raise NotCalibrated(f"the newest tokens are told apart no better than by chance (slope {solution[0]:.2f})")
    return float(solution[0]), float(solution[1])


def short(value):
    """The shortest decimal that parses to the same float32."""
    return float(str(np.float32(value)))


def edited(booster, change):
    """The booster after `change` edited its trees in place."""
    model = json.loads(booster.save_raw("json"))
    change(model["learner"]["gradient_booster"]["model"]["trees"])
    result = xgb.Booster(params={"nthread": 1})
    result.load_model(bytearray(json.dumps(model).encode()))
    return result


def only_late(booster, age_feature, younger):
    """The booster whose trees after ROUNDS add nothing below LATE_AGE_S; `younger`: weight of those rows / weight of the others."""
    def change(trees):
        for tree in trees[ROUNDS:]:
            put_below_age(tree, age_feature, younger)
    return edited(booster, change)


def put_below_age(tree, age_feature, younger):
    """Adds a split on the age above a tree: younger rows get a leaf of 0, the others the tree."""
    cover = tree["sum_hessian"][0]
    for key, first in (("left_children", [1, -1]), ("right_children", [2, -1])):
        tree[key] = first + [child if child == -1 else child + 2 for child in tree[key]]
    none = tree["parents"][0]
    tree["parents"] = [none, 0, 0] + [parent + 2 for parent in tree["parents"][1:]]
    added = {
        "base_weights": 0.0, "default_left": 1, "loss_changes": 0.0, "split_indices": 0, "split_type": 0, "split_conditions": 0.0,
    }
    for key, value in added.items():
        tree[key] = [value, value] + tree[key]
    tree["split_indices"][0], tree["split_conditions"][0] = age_feature, float(LATE_AGE_S)
    tree["sum_hessian"] = [cover * (1 + younger), cover * younger] + tree["sum_hessian"]
    tree["tree_param"]["num_nodes"] = str(len(tree["parents"]))


def scaled(booster, slope):
    """The booster whose margin is the calibrated one: its leaves times the slope, so that attributions add up to the log-odds."""
    def change(trees):
        for tree in trees:
            for node, left in enumerate(tree["left_children"]):
                if left == -1:
                    value = short(np.float32(tree["split_conditions"][node] * slope))
                    tree["split_conditions"][node] = tree["base_weights"][node] = value
    return edited(booster, change)
