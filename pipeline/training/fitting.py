"""Training, cross-fitting and calibration of the pool model."""

import json

import numpy as np
import xgboost as xgb

from dataset import DAY_S, EMBARGO_S, part

SEED = 20_260_101
ROUNDS = 250
PARAMS = {
    "objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_depth": 6, "eta": 0.04, "subsample": 0.7,
    "colsample_bytree": 0.2, "colsample_bynode": 0.5, "min_child_weight": 80, "reg_lambda": 10, "nthread": 1, "seed": SEED,
}
# Launches change with the years: those of the newest cohort count for more.
NEWEST_COHORT, NEWEST_WEIGHT = "2021", 4.0
# Liquidity transfers are recorded for the newest cohort only. Each of its rows is also learnt from without
# them, with this part of its weight, or a missing value would mean nothing but "of the older cohort".
WITHOUT_LIQUIDITY = 0.25
LIQUIDITY_PREFIX = "lp"
CALIBRATION_BLOCKS = 4
# Around a block that is predicted no pool is learnt from: what happens to all pools at once would leak.
BLOCK_MARGIN_S = 2 * DAY_S
# Calibration may differ by age, in log-odds, between these ages; the penalty keeps differences small.
AGE_LIMITS_S = (270, 1_350, 8_100, 43_200)
AGE_PENALTY = 20.0


def liquidity_columns(names):
    return [i for i, name in enumerate(names) if name.startswith(LIQUIDITY_PREFIX)]


def without_liquidity(x, names):
    x = x.copy()
    x[:, liquidity_columns(names)] = np.nan
    return x


def fit(data, names, columns=None, seed=SEED):
    """One booster; with `columns`, the others are missing everywhere."""
    newest = data["cohort"] == NEWEST_COHORT
    weight = np.where(newest, NEWEST_WEIGHT * (1 - WITHOUT_LIQUIDITY), 1.0)
    x = np.vstack([data["x"], without_liquidity(data["x"][newest], names)])
    label = np.append(data["y"], data["y"][newest])
    weight = np.append(weight, np.full(newest.sum(), NEWEST_WEIGHT * WITHOUT_LIQUIDITY))
    matrix = xgb.DMatrix(keep(x, columns), label, weight=weight)
    return xgb.train({**PARAMS, "seed": seed}, matrix, ROUNDS)


def keep(x, columns):
    if columns is None:
        return x
    kept = np.full_like(x, np.nan)
    kept[:, columns] = x[:, columns]
    return kept


def margins(booster, x):
    return booster.predict(xgb.DMatrix(x), output_margin=True).astype(float)


def newest_blocks(data):
    """Spans of birth that part the newest pools (of the newest cohort, or the last quarter) into equal parts."""
    newest = data["cohort"] == NEWEST_COHORT
    if not newest.any():
        newest = data["born"] >= np.quantile(data["born"], 0.75)
    born = np.unique(data["born"][newest])
    edges = [born[0], *np.quantile(born, np.arange(1, CALIBRATION_BLOCKS) / CALIBRATION_BLOCKS), born[-1] + 1]
    return list(zip(edges, edges[1:]))


def cross_fit(data, names, columns=None):
    """
    Rows of the newest pools with margins of boosters that saw neither their time nor their creators:
    what calibration may rest on. Also the margins where liquidity is not known.
    """
    rows, known, unknown = [], [], []
    for since, until in newest_blocks(data):
        held = part(data, (data["born"] >= since) & (data["born"] < until))
        near = (data["born"] >= since - BLOCK_MARGIN_S) & (data["born"] < until + BLOCK_MARGIN_S)
        creators = set(held["creator"]) - {""}
        same = np.array([creator in creators for creator in data["creator"]])
        booster = fit(part(data, ~near & ~same), names, columns)
        rows.append(held)
        known.append(margins(booster, keep(held["x"], columns)))
        unknown.append(margins(booster, keep(without_liquidity(held["x"], names), columns)))
    joined = {key: np.concatenate([held[key] for held in rows]) for key in data}
    return joined, np.concatenate(known), np.concatenate(unknown)


def roll_forward(data, names):
    """
    Rows of the newest pools but the first block, with margins of boosters that knew only what was over, with the
    embargo, when each block began: what a model says of the next weeks. Also the margins without liquidity.
    """
    rows, known, unknown = [], [], []
    for since, until in newest_blocks(data)[1:]:
        later = part(data, (data["born"] >= since) & (data["born"] < until))
        booster = fit(part(data, data["born"] < since - EMBARGO_S), names)
        rows.append(later)
        known.append(margins(booster, later["x"]))
        unknown.append(margins(booster, without_liquidity(later["x"], names)))
    return {key: np.concatenate([later[key] for later in rows]) for key in data}, np.concatenate(known), np.concatenate(unknown)


def by_creator(data, names, folds=5):
    """Rows of the newest pools with margins of boosters that saw none of their creators' pools, of whatever time."""
    newest = data["cohort"] == NEWEST_COHORT
    creators = np.unique(data["creator"][newest])
    fold_of = dict(zip(creators, np.random.default_rng(SEED).permutation(len(creators)) % folds))
    fold = np.array([fold_of.get(creator, -1) for creator in data["creator"]])
    rows, known, unknown = [], [], []
    for held in range(folds):
        booster = fit(part(data, fold != held), names)
        kept = part(data, newest & (fold == held))
        rows.append(kept)
        known.append(margins(booster, kept["x"]))
        unknown.append(margins(booster, without_liquidity(kept["x"], names)))
    return {key: np.concatenate([kept[key] for kept in rows]) for key in data}, np.concatenate(known), np.concatenate(unknown)


def age_group(age):
    return np.searchsorted(AGE_LIMITS_S, age, side="right")


def calibrate_forward(data, names, crossed):
    """
    The mean of two calibrations: by blocks held out of the middle of the record, and by blocks that follow what was
    learnt from. The first knows the whole record, the second what the next weeks do to a model, from few of them.
    """
    held, known, _ = crossed
    later, ahead, _ = rolled = roll_forward(data, names)
    both = [calibrate(known, held), calibrate(ahead, later)]
    mean = {key: np.mean([one[key] for one in both], axis=0).tolist() for key in both[0]}
    return {**mean, "byBlocksHeldOut": both[0], "byBlocksAhead": both[1]}, rolled


def calibrate(margin, data):
    """
    Slope, intercept and one offset for each group of ages by penalised Newton steps, every age with the
    same weight. The margin then is slope * margin + intercept + offset.
    """
    counts = {age: np.sum(data["age"] == age) for age in np.unique(data["age"])}
    weight = np.array([1 / counts[age] for age in data["age"]]) * np.mean(list(counts.values()))
    group = np.eye(len(AGE_LIMITS_S) + 1)[age_group(data["age"])]
    inputs = np.column_stack([margin, np.ones(len(margin)), group])
    penalty = np.diag([0.0, 0.0] + [AGE_PENALTY] * group.shape[1])
    solution = np.zeros(inputs.shape[1])
    solution[0] = 1.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-inputs @ solution))
        gradient = inputs.T @ (weight * (p - data["y"])) + penalty @ solution
        hessian = (inputs * (weight * p * (1 - p))[:, None]).T @ inputs + penalty
        solution -= np.linalg.solve(hessian, gradient)
    assert solution[0] > 0 and np.abs(gradient).max() < 1e-6, "calibration did not converge"
    return {"slope": float(solution[0]), "intercept": float(solution[1]), "offsets": [float(v) for v in solution[2:]]}


def apply(calibration, margin, age):
    offsets = np.array(calibration["offsets"])
    return calibration["slope"] * margin + calibration["intercept"] + offsets[age_group(age)]


def short(value):
    """The shortest decimal that reads back to the same float32."""
    return float(str(np.float32(value)))


def age_tree(offsets, cover, feature, tree_id, feature_count):
    """A chain of splits on the age in the format of xgboost: every age group ends in a leaf with its offset."""
    nodes = 2 * len(AGE_LIMITS_S) + 1
    tree = {
        "base_weights": [0.0] * nodes, "categories": [], "categories_nodes": [], "categories_segments": [],
        "categories_sizes": [], "default_left": [0] * nodes, "id": tree_id, "left_children": [-1] * nodes,
        "loss_changes": [0.0] * nodes, "parents": [2_147_483_647] * nodes, "right_children": [-1] * nodes,
        "split_conditions": [0.0] * nodes, "split_indices": [0] * nodes, "split_type": [0] * nodes,
        "sum_hessian": [0.0] * nodes,
        "tree_param": {"num_deleted": "0", "num_feature": str(feature_count), "num_nodes": str(nodes), "size_leaf_vector": "1"},
    }
    node = 0
    for group, limit in enumerate(AGE_LIMITS_S):
        left, right = 2 * group + 1, 2 * group + 2
        tree["left_children"][node], tree["right_children"][node] = left, right
        tree["parents"][left] = tree["parents"][right] = node
        tree["split_indices"][node], tree["split_conditions"][node] = feature, float(limit)
        tree["sum_hessian"][node] = float(np.sum(cover[group:]))
        tree["split_conditions"][left] = tree["base_weights"][left] = short(offsets[group])
        tree["sum_hessian"][left] = float(cover[group])
        node = right
    tree["split_conditions"][node] = tree["base_weights"][node] = short(offsets[-1])
    tree["sum_hessian"][node] = float(cover[-1])
    return tree


def fold_calibration(booster, calibration, age_feature, age_cover):
    """
    The booster whose margin is the calibrated one: leaves are scaled, the base score is the intercept and a
    last tree adds the offset of the age, so that the calibrated log-odds are a sum of trees themselves and
    attributions add up to them. It must have been trained with base_score 0.5, which is margin 0.
    """
    model = json.loads(booster.save_raw("json"))
    learner = model["learner"]
    forest = learner["gradient_booster"]["model"]
    for tree in forest["trees"]:
        for node, left in enumerate(tree["left_children"]):
            if left == -1:
                scaled = short(np.float32(tree["split_conditions"][node] * calibration["slope"]))
                tree["split_conditions"][node] = scaled
                tree["base_weights"][node] = scaled
    count = len(forest["trees"])
    feature_count = int(learner["learner_model_param"]["num_feature"])
    forest["trees"].append(age_tree(calibration["offsets"], age_cover, age_feature, count, feature_count))
    forest["tree_info"].append(0)
    forest["iteration_indptr"].append(count + 1)
    forest["gbtree_model_param"]["num_trees"] = str(count + 1)
    base_score = np.float32(1 / (1 + np.exp(-calibration["intercept"])))
    learner["learner_model_param"]["base_score"] = f"[{short(base_score)}]"
    folded = xgb.Booster(params={"nthread": 1})
    folded.load_model(bytearray(json.dumps(model).encode()))
    return folded
