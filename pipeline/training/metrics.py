"""Metrics of a binary classifier on plain numpy arrays. Ties are handled exactly."""

import numpy as np

ECE_BINS = 10
DRAWS = 500


def roc_points(label, score):
    """False and true positive counts at every distinct threshold, from the strictest."""
    order = np.argsort(-score, kind="stable")
    last_of_tie = np.append(np.diff(score[order]) != 0, True)
    true_positives = np.cumsum(label[order])[last_of_tie]
    flagged = np.flatnonzero(last_of_tie) + 1
    return flagged - true_positives, true_positives


def roc_auc(label, score):
    fp, tp = roc_points(label, score)
    if fp[-1] == 0 or tp[-1] == 0:
        return float("nan")
    return float(np.trapezoid(np.append(0, tp / tp[-1]), np.append(0, fp / fp[-1])))


def draws_by_owner(owner):
    """DRAWS bootstrap samples of rows: owners are drawn with replacement, each with all of its rows."""
    _, group = np.unique(owner, return_inverse=True)
    order = np.argsort(group, kind="stable")
    rows_of = np.split(order, np.cumsum(np.bincount(group))[:-1])
    random = np.random.default_rng(0)
    for _ in range(DRAWS):
        yield np.concatenate([rows_of[i] for i in random.integers(0, len(rows_of), len(rows_of))])


def roc_auc_interval(label, score, owner, besides=None):
    """95 % bootstrap interval, by owner, of the ROC-AUC or, given `besides`, of its gain over that of `besides`."""
    values = []
    for rows in draws_by_owner(owner):
        value = roc_auc(label[rows], score[rows])
        values.append(value if besides is None else value - roc_auc(label[rows], besides[rows]))
    return [float(bound) for bound in np.nanquantile(values, (0.025, 0.975))]


def average_precision(label, score):
    fp, tp = roc_points(label, score)
    return float(np.sum(np.diff(np.append(0, tp)) * tp / (tp + fp)) / tp[-1])


def threshold_at_fpr(label, score, fpr_max):
    """The lowest threshold whose false positive rate stays within the limit."""
    thresholds = np.unique(score)[::-1]
    fp, _ = roc_points(label, score)
    allowed = thresholds[fp <= fpr_max * np.sum(label == 0)]
    return allowed[-1] if len(allowed) else np.inf


def expected_calibration_error(label, probability):
    """Mean gap of predicted and observed rate over bins of equal width, weighted by their rows."""
    bins = np.minimum((probability * ECE_BINS).astype(int), ECE_BINS - 1)
    gaps = [abs(np.sum(label[bins == b] - probability[bins == b])) for b in range(ECE_BINS)]
    return float(np.sum(gaps) / len(label))


def equal_mass_calibration_error(label, probability):
    """The same with bins of equally many rows."""
    order = np.argsort(probability, kind="stable")
    gaps = [abs(np.sum(label[b] - probability[b])) for b in np.array_split(order, ECE_BINS)]
    return float(np.sum(gaps) / len(label))


def expected_error_of_perfection(probability, draws=200):
    """The mean ECE of these probabilities if outcomes were drawn from them."""
    random = np.random.default_rng(0)
    outcomes = (random.random((draws, len(probability))) < probability).astype(float)
    return float(np.mean([expected_calibration_error(outcome, probability) for outcome in outcomes]))


def report(label, probability):
    """All reported metrics of one horizon."""
    result = {
        "rows": int(len(label)),
        "rugShare": float(np.mean(label)),
        "rocAuc": roc_auc(label, probability),
        "prAucRug": average_precision(label, probability),
        "prAucSurvived": average_precision(1 - label, -probability),
        "brier": float(np.mean((probability - label) ** 2)),
        "ece": expected_calibration_error(label, probability),
        "eceEqualMass": equal_mass_calibration_error(label, probability),
        "eceOfPerfection": expected_error_of_perfection(probability),
        "bias": float(np.mean(probability - label)),
        "accuracy": float(np.mean((probability >= 0.5) == (label == 1))),
    }
    for name, fpr in (("tprAt1PercentFpr", 0.01), ("tprAt5PercentFpr", 0.05)):
        flagged = probability >= threshold_at_fpr(label, probability, fpr)
        result[name] = float(np.mean(flagged[label == 1]))
    return result
