"""The model card as Markdown, from the numbers in card.json."""

AGES = {"60": "1 min", "600": "10 min", "3600": "1 h", "21600": "6 h", "86400": "24 h"}
COLUMNS = (
    ("rows", "tokens"), ("rugShare", "rugs"), ("rocAuc", "ROC-AUC"), ("baselineRocAuc", "ROC-AUC of liquidity alone"),
    ("prAucRug", "PR-AUC rug"), ("prAucSurvived", "PR-AUC survived"), ("brier", "Brier"),
    ("baselineBrier", "Brier of a constant"), ("ece", "ECE"), ("tprAt1PercentFpr", "TPR at 1 % FPR"),
    ("tprAt5PercentFpr", "TPR at 5 % FPR"), ("medianLeadHoursAt5PercentFpr", "median lead, hours"),
    ("newCreatorRocAuc", "ROC-AUC, creators unseen in training"), ("onePerCreatorRocAuc", "ROC-AUC, one token per creator"),
)


def cell(value):
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def table(metrics):
    lines = ["| age | " + " | ".join(title for _, title in COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for age, title in AGES.items():
        lines.append(f"| {title} | " + " | ".join(cell(metrics[age][key]) for key, _ in COLUMNS) + " |")
    return "\n".join(lines)


def span(pair):
    return f"{pair[0]} to {pair[1]} (exclusive)"


def sections(evaluation):
    text = []
    for result in evaluation.values():
        text.append(
            f"### Trained on pools born {span(result['trainBorn'])}\n\n"
            f"{result['trainRows']} snapshots; calibrated on {result['calibrateRows']} snapshots of pools born "
            f"{span(result['calibrateBorn'])}.\n")
        for name, metrics in result["metrics"].items():
            text.append(f"Tested on pools born {span(result['testBorn'][name])}:\n\n{table(metrics)}\n")
    return "\n".join(text)


def card_text(card):
    strongest = ", ".join(f"`{name}` {share:.1%}" for name, share in list(card["gainShare"].items())[:12])
    calibration = card["calibration"]
    return f"""# Model card: {card['name']}

Says how likely a WETH pool of Uniswap V2 kind loses its liquidity within 7 days, from its Sync events alone, as of any age.
`model.onnx` has SHA-256 `{card['sha256']}`; {card['rounds']} trees of depth {card['params']['max_depth']}, seed {card['seed']}.

- **Input**: {len(card['features'])} features in the order of `FEATURE_NAMES`, float32, NaN = missing. Only the first 24 hours are
  read: older pools keep the features of that age.
- **Output**: one margin, the calibrated log-odds; probability = 1 / (1 + exp(−margin)). Platt's slope {calibration['slope']:.4f} and
  intercept {calibration['intercept']:.4f} are folded into leaves and base margin, so attributions add up to the log-odds.
- **Label**: a rug is a WETH reserve ≤ 5 % of its running peak and ≤ 10 % of the last hour's maximum within 7 days after the
  snapshot, not back above 10 % of the peak in that window. Every other pool is a negative. Pools with < 0.5 WETH or already
  drained at the snapshot are left out. No published label list is used.
- **Data**: {card['trainRows']} snapshots (1, 3, 10, 30 min, 1, 3, 6, 12, 24 h) of {card['trainPools']} Ethereum pools, nearly all born September to
  November 2020 and September to October 2021; {card['trainRugShare']:.1%} of the snapshots are followed by a rug. Block times are
  interpolated between known heights.

## Evaluation

By time only, never random. A gap of 8 days (a day of snapshots and 7 of outcomes) lies between the births of consecutive parts,
one row per token and age, no token in two parts. Two baselines stand beside the model: liquidity alone (more
of it is riskier here, in the training parts too) and, for Brier, the rug share of the training part at that age.

{sections(card['evaluation'])}
**The exported model** is trained on all of these pools with the same settings, and calibrated by the predictions of a 2020 model
on the pools of 2021. No pool here is left to test it: the figures above are of the procedure on earlier data, not of this file.

Share of the gain: {strongest}.

## Limits

- Settings were compared on the 2020 and 2021 tests above (about 15 settings; their mean ROC-AUC over ages lay within 0.01 of each other), so these are
  slightly optimistic.
- Drift is real: a model of early 2020 ranks 2021 clearly worse than late 2020. Calibration moves with the base rate of rugs:
  on another chain or year the probability is a ranking first and a frequency second.
- It sees reserves only: not the contract, the holders, the LP tokens or who trades. A honeypot that never drains is a negative.
- Very young pools (1 min) have few events, so the probability there is near the share of rugs among all launches (about 0.7 to
  0.8 in this data): a fact about launches, not evidence about this one. `rugShareByAgeS` in `card.json` gives that share by age,
  so that a verdict can weigh the evidence (margin minus the log-odds of the share) apart from the prior.
- `firstTokenLog10` (raw units, so it depends on the token's decimals) and absolute volumes are conventions of launches of their
  time, and can be imitated.
- Calibration is the weakest point: in 2021 the ECE is 0.08 to 0.19, more than the sampling noise of so few tokens explains.
- Recorded pools were selected by the published studies that they come from, and need not be a fair sample of all launches.
"""
