import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readableLetters } from '../../shared/names/readable.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { type NameFeatures, nameFeatures } from '../scorer/name/nameFeatures.ts';
import { isInvitation, nameMargin } from '../scorer/name/nameModel.ts';
import { fitLogistic } from './logisticRegression.ts';
import {
  FALSE_ALARMS,
  foundAbove,
  intervalOf,
  type Predicted,
  reportOf,
  thresholdAt,
} from './nameEvaluation.ts';
import { InputError, readOptions, runCommand } from './readCsv.ts';
import { type NameRow, readNames } from './readNames.ts';
import { createRandom } from './syntheticPools.ts';

const USAGE = 'usage: make train-names NAMES=names.csv.gz';
const MODEL_NAME = 'names-1.0';
const ARTIFACTS = 'pipeline/scorer/name/artifacts';
const FOLDS = 10;
const SEED = 20_260_101;
/** Inverse prior variance of a weight: about one unit of log-odds is expected for each. */
const PENALTY = 1;
/** Properties seen on fewer tokens are left out: they only memorise those tokens. */
const ROWS_MIN = 5;
/** The list's entry for a name it did not keep. */
const PLACEHOLDERS = new Set(['Autodetected spam token']);
const ALARM_SHARE = 0.01;

/** A row of the data with the model's features; positive is spam. */
interface Example extends NameFeatures {
  readonly row: NameRow;
  readonly isPositive: boolean;
  readonly group: number;
  /** A name that occurs a hundred times counts ten times. */
  readonly weight: number;
}

/** Key of names that read the same. */
const nameKey = ({ name, symbol }: NameRow): string =>
  readableLetters(name) || `symbol ${readableLetters(symbol)}`;

const readExamples = async (path: string): Promise<Example[]> => {
  const rows: NameRow[] = [];
  for await (const row of readNames(path)) {
    if (row.spam === undefined) throw new InputError(`${path} has no column spam`);
    if (!PLACEHOLDERS.has(row.name)) rows.push(row);
  }
  return [...groupBy(rows, nameKey).values()].flatMap((same, group) =>
    same.map((row) => ({
      ...nameFeatures(row),
      row,
      isPositive: row.spam === true,
      group,
      weight: 1 / Math.sqrt(same.length),
    })),
  );
};

type Weights = { bias: number; weights: Record<string, number> };

const fit = (examples: readonly Example[]): Weights => {
  const counts = new Map<string, number>();
  for (const fact of examples.flatMap(({ facts }) => facts)) {
    counts.set(fact, (counts.get(fact) ?? 0) + 1);
  }
  const facts = [...counts].flatMap(([fact, count]) => (count >= ROWS_MIN ? [fact] : [])).sort();
  const places = new Map(facts.map((fact, place) => [fact, place]));
  const rows = examples.map((example) => {
    return { ...example, places: example.facts.flatMap((fact) => places.get(fact) ?? []) };
  });
  const prior = { expected: new Float64Array(facts.length), penalty: PENALTY };
  const model = fitLogistic(rows, prior);
  const rounded = (value: number): number => Number(value.toFixed(3));
  return {
    bias: rounded(model.bias),
    weights: Object.fromEntries(facts.map((fact, i) => [fact, rounded(model.weights[i] ?? 0)])),
  };
};

/** Every row, predicted by a model that was fitted without rows of its name. */
const crossValidate = (examples: readonly Example[]): (Predicted & { example: Example })[] => {
  const random = createRandom(SEED);
  const groups = 1 + Math.max(...examples.map(({ group }) => group));
  const folds = Array.from({ length: groups }, () => Math.floor(random() * FOLDS));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const model = fit(examples.filter(({ group }) => folds[group] !== fold));
    return examples
      .filter(({ group }) => folds[group] === fold)
      .map((example) => ({
        example,
        score: nameMargin(model, example.facts),
        isPositive: example.isPositive,
        group: example.group,
      }));
  }).flat();
};

const probabilityOf = (margin: number): number => 1 / (1 + Math.exp(-margin));
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** How many names of each label are of the kind that the scorer calls an invitation. */
const invitations = (rows: readonly (Predicted & { example: Example })[]): string => {
  const counted = [true, false].map((isSpam) => {
    const all = rows.filter(({ isPositive }) => isPositive === isSpam);
    const caught = all.filter(({ example, score }) =>
      isInvitation({ ...example, probability: probabilityOf(score) }),
    );
    return `${caught.length} of ${all.length} (${percent(caught.length / all.length)})`;
  });
  return `${counted[0]} of the spam and ${counted[1]} of the listed tokens`;
};

const chainTable = (
  rows: readonly (Predicted & { example: Example })[],
  threshold: number,
): string[] =>
  [...groupBy(rows, ({ example }) => example.row.chain)].map(([chain, here]) => {
    const spam = here.filter(({ isPositive }) => isPositive).length;
    const honest = here.length - spam;
    const alarms = here.filter(({ isPositive, score }) => !isPositive && score > threshold).length;
    const found = spam > 0 ? percent(foundAbove(here, threshold)) : '';
    return `| ${chain} | ${honest} | ${alarms} | ${spam} | ${found} |`;
  });

const cardText = (
  examples: readonly Example[],
  predicted: readonly (Predicted & { example: Example })[],
  { bias, weights }: Weights,
): string => {
  const { found, rocAuc, ece } = reportOf(predicted);
  const once = [
    ...groupBy(predicted, ({ group, isPositive }) => `${group} ${isPositive}`).values(),
  ].flatMap(([first]) => first ?? []);
  const byName = reportOf(once);
  const [low, high] = intervalOf(predicted, ALARM_SHARE);
  const threshold = thresholdAt(predicted, ALARM_SHARE);
  const heaviest = Object.entries(weights).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  return `# Model card: ${MODEL_NAME}

Predicts how likely the name and the symbol of a token are those of spam: tokens sent to wallets that never asked for them, so that their
owners visit a website or mistake them for other tokens. Made by \`make train-names\`.

- **Input**: name and symbol. \`../nameFeatures.ts\` computes the ${Object.keys(weights).length} facts: requests, links and contacts, money, eye-catchers,
  invisible characters and mixed alphabets, likeness to listed tokens, how the symbol is made from the name, lengths and shapes. Chain
  and address are not among them: they only decide whether the token is the listed one itself.
- **Output**: log-odds, the bias ${bias} and the sum of the weights of the facts that hold; probability = 1 / (1 + exp(−log-odds)).
- **Data**: ${examples.length} tokens of public lists, ${percent(examples.filter(({ isPositive }) => isPositive).length / examples.length)} of them spam, ${new Set(examples.map(({ group }) => group)).size} names. Rows with a placeholder as name are left out.
  Dots of names that a list cut off (“Renewable En...”) and spaces at the ends of names are removed: because of how the lists were made, only listed tokens
  have the former and only spam has the latter.
- **Training**: logistic regression, quadratic penalty ${PENALTY}, facts seen ${ROWS_MIN} times or more; a name that occurs n times weighs √n.

## Evaluation

Ten folds; all rows of a name (compared by its letters and digits as people read them) are held out together.

| | all rows | each name once |
|---|---|---|
${FALSE_ALARMS.map((share) => `| found at ${percent(share)} false alarms | ${percent(found[share] ?? 0)} | ${percent(byName.found[share] ?? 0)} |`).join('\n')}
| ROC-AUC | ${rocAuc.toFixed(3)} | ${byName.rocAuc.toFixed(3)} |
| calibration error | ${ece.toFixed(3)} | ${byName.ece.toFixed(3)} |

95 % interval of the share found at 1 %, by resampling names: ${percent(low)} to ${percent(high)}. The threshold is a probability of ${probabilityOf(threshold).toFixed(3)}.
What the check \`name_spam\` holds against a token (an invitation, see \`../nameModel.ts\`): ${invitations(predicted)}.

At the common threshold, chain by chain:

| chain | listed | of them called spam | spam | found |
|---|---|---|---|---|
${chainTable(predicted, threshold).join('\n')}

Heaviest: ${heaviest
    .slice(0, 20)
    .map(([fact, weight]) => `\`${fact}\` ${weight > 0 ? '+' : '−'}${Math.abs(weight).toFixed(1)}`)
    .join(', ')}.

## Limits

- A third of the spam has names like any other (“Casino Token”, “BAZINGA”): it became spam by how it was sent, which no name shows.
- The lists contain what people reported, mostly in English, and listed tokens are not a sample of honest ones.
- Parts of words (one to four letters, 16,384 buckets) as further facts found 73.4 % instead of 71.0 % at 1 % in five folds and raised the ROC-AUC from .896 to .915.
  They are not used, because they learn the style of each list (“Synth”, “Aave interest bearing”, coins of Base) and give no reason that could be stated.
`;
};

const artifactText = (
  examples: readonly Example[],
  alarmFrom: number,
  { bias, weights }: Weights,
): string => `import type { NameWeights } from '../nameFeatures.ts';

/** Made by \`make train-names\`; do not edit. See card.md. */
export const NAME_WEIGHTS: NameWeights = {
  name: '${MODEL_NAME}',
  spamShare: ${(examples.filter(({ isPositive }) => isPositive).length / examples.length).toFixed(4)},
  alarmFrom: ${alarmFrom.toFixed(4)},
  bias: ${bias},
  weights: {
${Object.entries(weights)
  .map(([fact, weight]) => `    '${fact}': ${weight},`)
  .join('\n')}
  },
};
`;

const main = async (): Promise<void> => {
  const { names } = readOptions(USAGE, ['names']);
  const examples = await readExamples(names);
  const predicted = crossValidate(examples);
  const model = fit(examples);
  const alarmFrom = probabilityOf(thresholdAt(predicted, ALARM_SHARE));
  const folder = join(projectRoot(), ARTIFACTS);
  writeFileSync(join(folder, 'nameWeights.ts'), artifactText(examples, alarmFrom, model));
  writeFileSync(join(folder, 'card.md'), cardText(examples, predicted, model));
  console.log(`${ARTIFACTS}: ${MODEL_NAME}, ${Object.keys(model.weights).length} weights`);
};

await runCommand(main);
