"""The model card as Markdown, from the numbers in card.json."""

AGES = {"60": "1 min", "600": "10 min", "3600": "1 h", "21600": "6 h", "86400": "24 h"}
COLUMNS = (
    ("rows", "tokens"), ("rugShare", "rugs"), ("rocAuc", "ROC-AUC"), ("prAucRug", "PR-AUC rug"),
    ("prAucSurvived", "PR-AUC survived"), ("brier", "Brier"), ("ece", "ECE"),
    ("eceEqualMass", "ECE, equal mass"), ("eceOfPerfection", "ECE if perfect"), ("bias", "predicted − seen"), ("tprAt1PercentFpr", "TPR at 1 % FPR"),
    ("tprAt5PercentFpr", "TPR at 5 % FPR"), ("medianLeadHoursAt5PercentFpr", "median lead, hours"),
    ("newCreatorRocAuc", "ROC-AUC, creators unseen in training"), ("onePerCreatorRocAuc", "ROC-AUC, one token per creator"),
    ("withoutLiquidityRocAuc", "ROC-AUC without liquidity transfers"), ("withoutLiquidityEce", "ECE without them"),
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


def ablation_table(ablation):
    lines = ["| features | " + " | ".join(AGES.values()) + " |", "|---" * (len(AGES) + 1) + "|"]
    lines += [f"| {title} | " + " | ".join(cell(aucs[age]) for age in AGES) + " |" for title, aucs in ablation.items()]
    return "\n".join(lines)


def span(pair):
    return f"{pair[0]} to {pair[1]} (exclusive)"


def forward_text(result):
    return (f"{result['trainRows']} snapshots of pools born {span(result['trainBorn'])}; calibrated inside them; tested on pools "
            f"born {span(result['testBorn'])}.\n\n{table(result['metrics'])}\n")


def card_text(card):
    strongest = ", ".join(f"`{name}` {share:.1%}" for name, share in list(card["gainShare"].items())[:12])
    calibration, evaluation = card["calibration"], card["evaluation"]
    held, ahead = calibration["byBlocksHeldOut"], calibration["byBlocksAhead"]
    return f"""# Model card: {card['name']}

Says how likely a WETH pool of Uniswap V2 kind loses its liquidity within 7 days, as of any age.
`model.onnx` has SHA-256 `{card['sha256']}`; {card['trees']} trees of depth {card['params']['max_depth']}, seed {card['seed']}.

- **Input**: {len(card['features'])} features in the order of `FEATURE_NAMES`, float32, NaN = missing; `../../features/FEATURES.md`
  tells each. Three groups: the pool's Syncs, the transfers of its liquidity token, and its creator's earlier pools. Only
  the first 24 hours are read: older pools keep the features of that age.
- **Output**: one margin, the calibrated log-odds; probability = 1 / (1 + exp(−margin)). Slope {calibration['slope']:.4f}, intercept
  {calibration['intercept']:.4f} and an offset for each of {len(calibration['offsets'])} groups of ages are folded into the trees, so attributions add up to the log-odds.
- **Calibration**: the mean of two, fitted on predictions of pools that the predicting model had not seen: by spans of 2021 held out
  (slope {held['slope']:.3f}, intercept {held['intercept']:.3f}), and by spans of 2021 predicted from what was over 8 days before
  (slope {ahead['slope']:.3f}, intercept {ahead['intercept']:.3f}). Models say too little of the weeks that follow, as launches change under
  them; but three such spans are few, so half of that correction is taken.
- **Label**: a rug is a WETH reserve ≤ 5 % of its running peak and ≤ 10 % of the last hour's maximum within 7 days after the
  snapshot, not back above 10 % of the peak in that window. Every other pool is a negative. Pools with < 0.5 WETH or already
  drained at the snapshot are left out. No published label list is used.
- **Data**: {card['trainRows']} snapshots at 16 ages from 1 min to 24 h of {card['trainPools']} Ethereum pools born mostly September to November 2020
  and September 2021 ({card['newestPools']} pools of 2021, which count four times); {card['trainRugShare']:.1%} of the snapshots are followed by a rug. Block times
  are interpolated between known heights. The Polygon recording is not used: only 20 of its 912 pools name WMATIC as their
  quote. The table of pair creators is not used beyond the creators in the pool list: it has no times.
- **Missing liquidity transfers**: they are recorded for 2021 only. Each pool of 2021 is learnt from both with and without
  them, so that a missing value does not merely say "2020".

## Evaluation

One row per token and age. What is tested has no part in training or, in the forward tests, in calibration. ECE: ten bins of
equal width, and ten of equal mass. *ECE if perfect*: the mean ECE (equal width) that these probabilities would have with this many tokens
if outcomes were drawn from them: what the number of tokens alone makes of it. Lead: from the snapshot to the drain, of those
caught at 5 % FPR.

### The past predicts 2021

{forward_text(evaluation['forward2021'])}
{forward_text(evaluation['from2020'])}
### Cross-fitted over 2021

Four spans of 2021, each predicted by a model that saw neither it, nor two days around it, nor its creators, but the rest of
2021 and all of 2020. More tokens, so less noise; but the model knows what came later. Before calibration.

{table(evaluation['crossFitted2021']['metrics'])}

### Rolling origin over 2021

The last three of those spans, each predicted by a model that knew only pools born 8 days before it began: of 2021 next to nothing
for the first of them. The three models are tested as one, before calibration.

{table(evaluation['rollingOrigin2021']['metrics'])}

### By creator over 2021

Five parts of the creators; no pool of a tested creator, of whatever time, is learnt from. Before calibration.

{table(evaluation['byCreator2021']['metrics'])}

### What each group adds (ROC-AUC, cross-fitted over 2021)

*launch*: `first…`, `buysBeforeFirstSell`, `secondsToFirst…`; *recent*: `last…`, `recent…`, `secondsSince…`. Differences below 0.01 are noise.
Tried and left out, as they added nothing beyond that: windows of 3 and 6 hours, recovery from the lowest reserve, steps within one
transaction, positions within the block, deviations from the fee formula, repeated token amounts, absolute amounts, the value that the largest
holder of liquidity can pull, earlier pools of the first provider, hour of birth.

{ablation_table(card['ablation'])}

**The exported model** is trained on all of these pools with the same settings. No pool here is left to test it: the figures
above are of the procedure, not of this file.

Share of the gain: {strongest}.

## Limits

- Settings and features were compared on cross-fitted and rolling predictions of 2021 (about 80 comparisons, most within noise), so the figures
  of 2021 are slightly optimistic. With 160 to 280 tokens in the forward test, one standard error of a ROC-AUC is 0.02 to 0.03.
- The share of rugs moves by 0.06 from week to week (standard deviation of *predicted − seen* over weeks of 2020 and 2021): an ECE below
  that is luck, whatever the calibration.
- Drift is real: a model of 2020 alone ranks 2021 clearly worse than one that knows a few weeks of it, and the share of rugs
  falls within 2021. On another chain or year the probability is a ranking first and a frequency second.
- It sees neither the contract nor the holders nor who trades. A honeypot that never drains is a negative. Liquidity at
  a locker is no safety by itself: a large part of such pools lost their WETH to sales all the same.
- Very young pools (1 min) have few events, so the probability there is near the share of rugs among all launches: a fact
  about launches, not evidence about this one. `rugShareByAgeS` in `card.json` gives that share by age in 2021, so that
  a verdict can weigh the evidence (margin minus the log-odds of the share) apart from the prior.
- A creator's earlier pools are those the record or the chain facts hold: a creator who is new here may not be new.
- Recorded pools were selected by the published studies that they come from, and need not be a fair sample of all launches.
"""
