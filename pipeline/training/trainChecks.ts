import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { checkSchema } from '../../shared/messages/verdictDoc.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { codeSketch, disassemble } from '../scorer/contract/codePatterns.ts';
import { checkFeatures, EXPECTED_LOG_ODDS } from '../scorer/verdict/checkFeatures.ts';
import { fitLogistic, type LinearModel, marginOf } from './logisticRegression.ts';
import { readLines, readOptions, runCommand } from './readCsv.ts';
import { calibrationError, intervals, rocAuc, type Scored } from './statistics.ts';
import { readWorld } from './trial/trialContracts.ts';

const USAGE = 'usage: make train-checks TRIAL=trial.jsonl [DATA=../shared/data]';
const ARTIFACTS = 'pipeline/scorer/verdict/artifacts';
const FOLDS = 10;
const DRAWING = { resamples: 200, seed: 20_261_122 };
/** Codes with half of their 32 smallest basic-block hashes in common form a family. */
const FAMILY_MINIMA = 16;
/**
 * A nuisance feature of the fit for checks that failed with proof, so that hidden mechanisms do not raise the weight
 * of open ones.
 */
const HIDDEN = 'hidden';
const FEATURES = [...EXPECTED_LOG_ODDS.keys(), HIDDEN];
const EXPECTED = Float64Array.of(...EXPECTED_LOG_ODDS.values(), 1);
/**
 * Prior of each weight: its expected value with a variance of 1/4, and never below zero, because a failed check never
 * lowers the risk.
 */
const PRIOR = { expected: EXPECTED, penalty: 4, least: 0 };

const rowSchema = z.object({
  address: z.string(),
  label: z.enum(['fraud', 'real']),
  checks: z.array(checkSchema.omit({ reason: true, evidence: true })),
});

/** A contract of the trial; positive is a fraud. */
interface Example {
  /** Indices of its features. */
  readonly places: readonly number[];
  readonly isPositive: boolean;
  readonly family: number;
}

/** Codes that share half of their basic blocks, directly or through others. */
const familiesOf = (minima: readonly (readonly number[])[]): number[] => {
  const family = minima.map((_one, i) => i);
  const sets = minima.map((one) => new Set(one));
  for (const [i, one] of minima.entries()) {
    for (let j = 0; j < i; j += 1) {
      const common = one.filter((value) => sets[j]?.has(value)).length;
      const [from, to] = [family[i], family[j]];
      if (common < FAMILY_MINIMA || from === undefined || to === undefined || from === to) continue;
      for (const [k, each] of family.entries()) if (each === from) family[k] = to;
    }
  }
  return family;
};

const readExamples = async (path: string, data: string): Promise<Example[]> => {
  const world = await readWorld(data, Number.POSITIVE_INFINITY);
  const codes = new Map<string, readonly number[]>(
    world.contracts.map(({ address, code }) => [address, codeSketch(disassemble(code)).minima]),
  );
  const rows: z.output<typeof rowSchema>[] = [];
  for await (const line of readLines(path)) rows.push(rowSchema.parse(JSON.parse(line)));
  const families = familiesOf(rows.map(({ address }) => codes.get(address) ?? []));
  return rows.map(({ label, checks }, i) => {
    const spoken = checks.map((check) => ({ ...check, reason: '' }));
    const names: string[] = checkFeatures(spoken)
      .filter(({ share }) => share === 1)
      .map(({ feature }) => feature);
    const isHidden = checks.some(
      ({ id, status, severity }) =>
        id.endsWith('_power') && status === 'fail' && severity === 'critical',
    );
    const places = FEATURES.flatMap((feature, place) =>
      (feature === HIDDEN ? isHidden : names.includes(feature)) ? [place] : [],
    );
    return { places, isPositive: label === 'fraud', family: families[i] ?? i };
  });
};

/** Both classes have the same total weight. */
const weighted = (rows: readonly Example[]) => {
  const positives = rows.filter(({ isPositive }) => isPositive).length;
  const weightOf = ({ isPositive }: Pick<Example, 'isPositive'>): number =>
    rows.length / 2 / Math.max(1, isPositive ? positives : rows.length - positives);
  return { weightOf, rows: rows.map((row) => ({ ...row, weight: weightOf(row) })) };
};

const fit = (examples: readonly Example[]): LinearModel =>
  fitLogistic(weighted(examples).rows, PRIOR);

/** Samples with their margins by fits without their family. */
const crossValidated = (rows: readonly Example[]): (Example & Scored)[] => {
  const families = [...new Set(rows.map(({ family }) => family))];
  const foldOf = new Map(families.map((family, i) => [family, i % FOLDS]));
  const models = Array.from({ length: FOLDS }, (_, fold) =>
    fit(rows.filter(({ family }) => foldOf.get(family) !== fold)),
  );
  return rows.map((row) => {
    const model = models[foldOf.get(row.family) ?? 0];
    return { ...row, score: model ? marginOf(model, row.places) : 0 };
  });
};

/** Bootstrap intervals (95 %, by family) of each weight and of the area under the curve. */
const intervalsOf = (rows: readonly (Example & Scored)[]) => {
  const families = [...groupBy(rows, ({ family }) => family).values()];
  const figuresOf = (drawn: readonly (readonly (Example & Scored)[])[]): number[] => {
    const sample = drawn.flat();
    return [rocAuc(sample), ...fit(sample).weights];
  };
  const [auc = [0, 0], ...weights] = intervals(families, figuresOf, DRAWING);
  return { weights, auc };
};

const share = (value: number): string => `${(100 * value).toFixed(1)} %`;

const weightLines = (
  rows: readonly Example[],
  model: LinearModel,
  ends: readonly (readonly [number, number])[],
): string[] =>
  FEATURES.map((feature, i) => {
    const among = (isPositive: boolean): string => {
      const all = rows.filter((row) => row.isPositive === isPositive);
      return share(all.filter(({ places }) => places.includes(i)).length / all.length);
    };
    const [low = 0, high = 0] = ends[i] ?? [];
    const cells = [
      `\`${feature}\``,
      among(true),
      among(false),
      EXPECTED[i]?.toFixed(1),
      `${model.weights[i]?.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
    ];
    return `| ${cells.join(' | ')} |`;
  });

const card = (rows: readonly Example[], model: LinearModel): string => {
  const predicted = crossValidated(rows);
  const { weights, auc } = intervalsOf(predicted);
  const expected = { bias: 0, weights: EXPECTED };
  const judged = rows.map((row) => ({ ...row, score: marginOf(expected, row.places) }));
  const frauds = rows.filter(({ isPositive }) => isPositive).length;
  const families = new Set(rows.map(({ family }) => family)).size;
  return `# Weights of checks

Made by \`make train-checks\` from a trial (\`make trial\`): ${frauds} contracts in which a power was confirmed by hand and ${rows.length - frauds} tokens from recorded
mainnet blocks, in ${families} families of code, each put on a devnet with its code and what is known of its storage, a pool of 20 ether and an hour of the
same trades, and scored by the scorer itself. If the storage names no owner, one wallet becomes the owner and every other account to which the code
gives powers, for frauds and real tokens alike. That is the hardest setting, because many of the real tokens are controlled by contracts.

The fit is an additive logistic regression with both classes weighted equally. No weight is below zero (a failed check never lowers the risk), and each has
the expected weight as prior (normal, variance 1/4), so that checks about which the data say nothing keep it.

| failed check | of frauds | of real tokens | expected | fitted (95 %, by resampling families) |
| --- | --- | --- | --- | --- |
${weightLines(rows, model, weights).join('\n')}

\`:code\` is a power found in the code that no simulation showed; \`hidden\` means that a check failed with proof, which the verdict counts as proof
and not by this weight.

| on families not in the training data, ${FOLDS} folds | |
| --- | --- |
| ROC-AUC | ${rocAuc(predicted).toFixed(3)} (${auc[0].toFixed(3)}–${auc[1].toFixed(3)}) |
| ROC-AUC with the expected weights | ${rocAuc(judged).toFixed(3)} |
| calibration error, ten bins | ${calibrationError(predicted, weighted(rows).weightOf).toFixed(3)} |

The constant of the fit (${model.bias.toFixed(2)}) is not used: the frauds were selected because they have powers, so that the absence of powers says nothing about other tokens.

Not fitted: who holds a power, because no fraud in the data is controlled by a contract (\`checkFeatures.ts\` has the chosen weights); checks of markets and names, which the
trial does not vary; pairs of powers (minting together with stopping sales or taking tokens), whose fitted weights were zero.

The hour of trades is the same for every token and adds about 0.2 to the log-odds of each, whatever its code, so a trial does not show
how many honest tokens are clear. [CHECKS.md](../../checks/CHECKS.md) has that figure from recorded markets.
`;
};

const main = async (): Promise<void> => {
  const { trial, data = '../shared/data' } = readOptions(USAGE, ['trial'], ['data']);
  const rows = await readExamples(trial, data);
  const model = fit(rows);
  const folder = join(projectRoot(), ARTIFACTS);
  const weights = FEATURES.flatMap((feature, i) => {
    const name = feature.includes(':') ? `'${feature}'` : feature;
    const weight = Number(model.weights[i]?.toFixed(3));
    return feature === HIDDEN ? [] : [`  ${name}: ${weight},`];
  });
  writeFileSync(
    join(folder, 'checkWeights.ts'),
    `/** Log-odds of failed checks. Made by \`make train-checks\`; do not edit. See card.md. */
export const CHECK_WEIGHTS: Readonly<Record<string, number>> = {
${weights.join('\n')}
};
`,
  );
  writeFileSync(join(folder, 'card.md'), card(rows, model));
  console.log(`${rows.length} contracts; see ${ARTIFACTS}/card.md`);
};

await runCommand(main);
