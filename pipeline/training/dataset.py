"""Reads the rows that the TypeScript extractor wrote, and splits them by time."""

import csv
import datetime

import numpy as np

META = ("pool", "token", "creator", "cohort", "first_s", "horizon_s", "label", "lead_s")
DAY_S = 86_400
# The gap between two parts: a pool's last snapshot is taken at one day of age, and its outcome is known 7 days later.
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
        "age": meta["horizon_s"].astype(float).astype(int),
        "lead": np.array([float(v) if v else np.nan for v in meta["lead_s"]]),
        "creator": meta["creator"], "token": meta["token"], "pool": meta["pool"], "cohort": meta["cohort"],
    }
    return names[len(META):], data


def margins_in_force(path, data):
    """The margin of the model in force for each row; NaN for rows it was trained on."""
    with open(path) as file:
        lines = file.read().split("\n")[:len(data["y"])]
    return np.array([float(line) if line else np.nan for line in lines])


def part(data, chosen):
    return {key: value[chosen] for key, value in data.items()}


def owners(rows):
    """The creator of each row; the token itself if its creator is unknown."""
    return np.where(rows["creator"] == "", rows["token"], rows["creator"])


def seconds(day):
    return datetime.datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()


def born_between(data, since, until):
    return part(data, (data["born"] >= seconds(since)) & (data["born"] < seconds(until)))


def check_apart(earlier, later):
    """Fails unless the parts are separated by the embargo and have no token in common."""
    assert later["born"].min() - earlier["born"].max() >= EMBARGO_S, "embargo"
    assert not set(earlier["token"]) & set(later["token"]), "a token in two parts"
