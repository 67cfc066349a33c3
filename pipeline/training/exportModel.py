"""Writes a booster as ONNX and as the JSON trees that the TreeSHAP code reads."""

import json
import pathlib
import re

import numpy as np
import onnx
from onnx import TensorProto, helper

from fitting import short


def tree_arrays(booster):
    """One record of parallel arrays for each tree; a leaf has feature -1 and its value in `value`."""
    model = json.loads(booster.save_raw("json"))
    base_score = model["learner"]["learner_model_param"]["base_score"].strip("[]")
    probability = float(np.float32(base_score))
    trees = []
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        leaf = [left == -1 for left in tree["left_children"]]
        trees.append({
            "feature": [-1 if e else f for e, f in zip(leaf, tree["split_indices"])],
            "value": [short(v) for v in tree["split_conditions"]],
            "left": tree["left_children"],
            "right": tree["right_children"],
            "missingLeft": [int(v) for v in tree["default_left"]],
            "cover": [short(v) for v in tree["sum_hessian"]],
        })
    return short(np.log(probability / (1 - probability))), trees


def onnx_model(base_margin, trees, feature_count, name):
    """A TreeEnsembleRegressor: input `features`, float32 rows; output `margin`. NaN takes the branch of missing values."""
    nodes = {key: [] for key in (
        "treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
        "missing_value_tracks_true", "hitrates")}
    leaves = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}
    for tree_id, tree in enumerate(trees):
        for node, feature in enumerate(tree["feature"]):
            is_leaf = feature == -1
            nodes["treeids"].append(tree_id)
            nodes["nodeids"].append(node)
            nodes["featureids"].append(0 if is_leaf else feature)
            nodes["values"].append(0.0 if is_leaf else tree["value"][node])
            nodes["modes"].append("LEAF" if is_leaf else "BRANCH_LT")
            nodes["truenodeids"].append(0 if is_leaf else tree["left"][node])
            nodes["falsenodeids"].append(0 if is_leaf else tree["right"][node])
            nodes["missing_value_tracks_true"].append(0 if is_leaf else tree["missingLeft"][node])
            nodes["hitrates"].append(tree["cover"][node])
            if is_leaf:
                leaves["treeids"].append(tree_id)
                leaves["nodeids"].append(node)
                leaves["ids"].append(0)
                leaves["weights"].append(tree["value"][node])
    node = helper.make_node(
        "TreeEnsembleRegressor", ["features"], ["margin"], domain="ai.onnx.ml", n_targets=1,
        aggregate_function="SUM", post_transform="NONE", base_values=[base_margin],
        **{f"nodes_{key}": value for key, value in nodes.items()},
        **{f"target_{key}": value for key, value in leaves.items()})
    graph = helper.make_graph(
        [node], name,
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["rows", feature_count])],
        [helper.make_tensor_value_info("margin", TensorProto.FLOAT, ["rows", 1])])
    model = helper.make_model(
        graph, producer_name=name, ir_version=8,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)])
    onnx.checker.check_model(model)
    return model.SerializeToString(deterministic=True)


def gain_shares(booster, names):
    gain = booster.get_score(importance_type="total_gain")
    gains = sorted(((names[int(key[1:])], value) for key, value in gain.items()), key=lambda item: -item[1])
    total = sum(value for _, value in gains)
    return {name: round(value / total, 4) for name, value in gains}


def write_model(folder, model, forest, card, text):
    """Writes the files of a model: ONNX, its trees as JSON, and its card, given as JSON text and Markdown text."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    (folder / "trees.json").write_text(json.dumps(forest, separators=(",", ":")) + "\n")
    (folder / "card.json").write_text(card)
    (folder / "card.md").write_text(text)


def card_json(card):
    """A model card as JSON: one line per value, lists of numbers on one line."""
    text = json.dumps(card, indent=1)
    return re.sub(r"\[\s+([-+.\deE,\s]+?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text) + "\n"
