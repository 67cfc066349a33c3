"""The model card as Markdown, from the numbers in card.json."""

AGES = {"60": "1 min", "600": "10 min", "3600": "1 h", "21600": "6 h", "86400": "24 h"}
COLUMNS = (
    ("rows", "tokens"), ("rugShare", "rugs"), ("rocAuc", "ROC-AUC"), ("rocAucInterval", "95 %"),
    ("plainRocAuc", "plain model"), ("abovePlainInterval", "above it, 95 %"), ("prAucRug", "PR-AUC rug"),
    ("prAucSurvived", "PR-AUC survived"), ("brier", "Brier"), ("ece", "ECE"), ("plainEce", "ECE, plain"),
    ("eceEqualMass", "ECE, equal mass"), ("eceOfPerfection", "ECE if perfect"), ("bias", "predicted − seen"), ("tprAt1PercentFpr", "TPR at 1 % FPR"),
    ("tprAt5PercentFpr", "TPR at 5 % FPR"), ("medianLeadHoursAt5PercentFpr", "median lead, hours"),
    ("newCreatorRocAuc", "ROC-AUC, creators unseen in training"), ("onePerCreatorRocAuc", "ROC-AUC, one token per creator"),
    ("withoutLiquidityRocAuc", "ROC-AUC without liquidity transfers"), ("withoutLiquidityEce", "ECE without them"),
)


def cell(value):
    if value is None:
        return "–"
    if isinstance(value, list):
        return f"{value[0]:.3f} to {value[1]:.3f}"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def table(metrics):
    columns = [(key, title) for key, title in COLUMNS if key in next(iter(metrics.values()))]
    lines = ["| age | " + " | ".join(title for _, title in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for age, title in AGES.items():
        lines.append(f"| {title} | " + " | ".join(cell(metrics[age][key]) for key, _ in columns) + " |")
    return "\n".join(lines)


def span(pair):
    return f"{pair[0]} to {pair[1]} (exclusive)"


def forward_text(result):
    return (f"{result['trainRows']} snapshots of pools born {span(result['trainBorn'])}; calibrated inside them; tested on pools "
            f"born {span(result['testBorn'])}.\n\n{table(result['metrics'])}\n")


def card_text(card):
    strongest = ", ".join(f"`{name}` {share:.1%}" for name, share in list(card["gainShare"].items())[:12])
    evaluation = card["evaluation"]
    return f"""# Model card: {card['name']}

Predicts how likely a WETH pool of Uniswap V2 or a fork loses its liquidity within 7 days, at any age of the pool.
`model.onnx` has SHA-256 `{card['sha256']}`; {card['trees']} trees of depth {card['params']['max_depth']}, seed {card['seed']}. The
last of them were boosted on snapshots of {card['lateAgeS'] // 3_600} hours and more only, and add nothing to the score of younger ones.

- **Input**: {len(card['features'])} features in the order of `FEATURE_NAMES`, float32, NaN = missing; `../../features/FEATURES.md`
  has each. Three groups: the pool's Syncs, the transfers of its liquidity token, and its creator's earlier pools. Only
  the first 24 hours are read: older pools keep the features of that age.
- **Output**: one margin, the calibrated log-odds; probability = 1 / (1 + exp(−margin)).
- **Calibration**: a slope of {card['calibration']['slope']:.3f}, multiplied into the leaves, so that contributions add up to the log-odds. It is fitted, together with an intercept that is then
  dropped, on spans of 2021 predicted from pools whose outcome was known 8 days before.
- **Label**: a rug is a WETH reserve ≤ 5 % of its running peak and ≤ 10 % of the last hour's maximum within 7 days after the
  snapshot, not back above 10 % of the peak in that window. Every other pool is a negative. Pools with < 0.5 WETH or already
  drained at the snapshot are excluded. No published list of labels is used.
- **Data**: {card['trainRows']} snapshots at 16 ages from 1 min to 24 h of {card['trainPools']} Ethereum pools born mostly September to November 2020
  and September 2021 ({card['newestPools']} pools of 2021, which count four times); {card['trainRugShare']:.1%} of the snapshots are followed by a rug. Block times
  are interpolated between known heights. The Polygon recording is not used: only 20 of its 912 pools name WMATIC as their
  quote. Of the table of pair creators only the creators in the pool list are used, because it has no times.
- **Missing liquidity transfers**: they are recorded for 2021 only. The training data contain each pool of 2021 both with and without
  them, so that a missing value does not merely mean "2020".

## Evaluation

One row per token and age. Tested tokens are not used in training nor, in the forward tests, in calibration.

- **Intervals**: 500 bootstrap draws of creators, each with all of its tokens.
- **Plain model**: 100 boosted trees of depth 3 on the first 45 features, one model per age, on the same pools.
- **ECE**: ten bins of equal width, and ten of equal mass. **ECE if perfect**: the mean ECE (equal width) of perfectly calibrated probabilities
  with this many tokens, that is the part due to the number of tokens alone.
- **Lead**: time from the snapshot to the drain, for those found at 5 % FPR.

### Forward tests: trained on the past, tested on what follows

{forward_text(evaluation['forward2021'])}
{forward_text(evaluation['from2020'])}
{forward_text(evaluation['within2020'])}
### Rolling origin over 2021

The last three of four spans of 2021, each predicted by a model trained only on pools born 8 days before the span began, so that the first of them knew
almost nothing of 2021. The three models are tested as one, before calibration.

{table(evaluation['rollingOrigin2021']['metrics'])}

### What each group adds

Measured once for version 4.0, on four spans of 2021, each predicted by a model that saw neither it, nor two days around it, nor its creators (ROC-AUC at 10 min / 1 h / 6 h /
24 h; differences below .01 are noise): all features .834 / .865 / .880 / .862; without the transfers of liquidity .817 / .858 / .873 / .849; without the creator's pools
.828 / .862 / .876 / .855; without either .806 / .852 / .866 / .843. With no pool of a tested creator, at whatever time, in the training data: .850 / .873 / .883 / .859.
Tried and not included, because they added nothing beyond that: windows of 3 and 6 hours, recovery from the lowest reserve, steps within one
transaction, positions within the block, deviations from the fee formula, repeated token amounts, absolute amounts, the value that the largest
holder of liquidity can pull, earlier pools of the first provider, hour of birth.

### Alternatives

A single model for all ages scores pools of 24 hours worse than a plain model trained at that age alone, because four fifths of the
snapshots are younger than 6 hours and few splits use the age. Boosting further on the older snapshots alone repairs that; neither fewer features nor other weights do.

Means over three forward tests (2020 → 2021; until 2021-09-14 → from 2021-09-22; September → October 2020), before calibration:

| recipe | 10 min | 1 h | 6 h | 24 h | log-loss |
|---|---|---|---|---|---|
| **chosen: depth 3, then 120 trees for 6 hours and more** | .820 | .855 | .858 | .804 | .494 |
| chosen, another seed for the later trees | .821 | .854 | .857 | .807 | .492 |
| 250 trees of depth 6 for all ages (version 3.0) | .823 | .856 | .854 | .796 | .497 |
| depth 3 for all ages | .820 | .855 | .850 | .790 | .500 |
| depth 4, the age offered to every split, ages of more equal weight | .821 | .856 | .855 | .800 | .497 |
| one model for each age and those near it, depth 3 | .822 | .854 | .857 | .810 | .494 |
| chosen, with depth 4 first | .818 | .856 | .857 | .807 | .495 |
| chosen, from 3 hours on | .819 | .853 | .856 | .804 | .495 |
| chosen, and again from 15 hours on | .818 | .853 | .856 | .810 | .493 |
| chosen, later trees of depth 2 | .821 | .854 | .856 | .806 | .492 |
| chosen, without counts and units of liquidity | .822 | .853 | .855 | .804 | .491 |
| plain: one model an age, 45 features | .798 | .840 | .844 | .802 | .506 |
| logistic regression on ranks, one an age | .813 | .842 | .850 | .799 | – |

One standard error of a ROC-AUC here is 0.01 to 0.02, and another seed moves it by 0.005. All recipes with a separate part for old pools are therefore
equal, and the chosen one is a single sum of shallow trees. The choice was checked on separate data: inside 2020 (the third test) the boosted recipes for all
ages lie within .002 of each other (mean .848 to .850), so the simplest would be chosen; on 2021, which was not used for that, it reaches
a mean of .816 over the ages, version 3.0 .809. Averages of three seeds, other weights of the pools of 2021 (one or ten instead of four), blends with the regression, and faster learning with fewer trees gave no more.

Calibration, mean of the four ages over two splits of 2021 and 2020 → 2021, ECE / log-loss: none .089 / .515; slope, intercept and offsets by age
as in version 3.0 .103 / .521; slope and intercept .101 / .521; **slope alone, from spans ahead .084 / .507**. A fitted intercept carries the share of rugs of the last weeks into the next
ones, where it differs.

**The exported model** is trained on all of these pools with the same settings. No pool is left to test it, so the figures
above describe the procedure, not this file.

Strongest features by share of the gain: {strongest}.

## Limits

- Settings and features were compared on cross-fitted and rolling predictions of 2021 (about 130 comparisons, most within noise), so the figures
  of 2021 are slightly optimistic. With 160 to 280 tokens in the forward test, one standard error of a ROC-AUC is 0.02 to 0.03.
- An ECE of 0.05 is reached in neither forward test at 24 hours: with 159 to 613 pools, noise alone gives 0.04 to 0.08, and pools that are very
  likely rugs in one season are less likely so in the next.
- The share of rugs moves by 0.06 from week to week (standard deviation of *predicted − seen* over weeks of 2020 and 2021): an ECE below
  that is luck, whatever the calibration.
- Drift matters: a model of 2020 alone ranks 2021 clearly worse than one that knows a few weeks of it, and the share of rugs
  falls within 2021. On another chain or in another year, rely on the ranking more than on the probability.
- It sees neither the contract nor the holders nor who trades. A honeypot that never drains is a negative. Liquidity in
  a locker is no safety by itself: a large part of such pools lost their WETH to sales nevertheless.
- Very young pools (1 min) have few events, so the probability there is near the share of rugs among all launches: a fact
  about launches, not evidence about this one. `rugShareByAgeS` in `card.json` gives that share by age in 2021, so that
  a verdict can weigh the evidence (margin minus the log-odds of the share) apart from the prior.
- A creator's earlier pools are those in the recordings or the chain facts: a creator without any may have had some elsewhere.
- Recorded pools were selected by the published studies that they come from, and need not be a fair sample of all launches.
"""
