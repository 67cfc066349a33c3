import { writeFileSync } from 'node:fs';
import { POWERS, type Power } from '../scorer/contract/powers/evidence.ts';
import { findPowers, type Powers } from '../scorer/contract/powers/findPowers.ts';
import { codeFunctions } from '../scorer/contract/probeCalls.ts';
import {
  type ContractCode,
  f1Interval,
  figuresOf,
  type Labels,
  readCodes,
  readLabels,
} from './measurePowers.ts';
import { readOptions, runCommand } from './readCsv.ts';
import { percentile, rocAuc, type Scored as ScoredRow } from './statistics.ts';

const USAGE =
  'usage: make evaluate-powers CODES=codes.csv.gz OUT=powers.csv [FINDINGS=findings.csv] [LABELS=labels.csv]';
const CONTRACTS_PER_REPORT = 250;

/** A contract with its scores and their computing time. */
interface Scored extends ContractCode {
  readonly powers: Powers;
  readonly ms: number;
}

const score = (one: ContractCode): Scored => {
  const start = performance.now();
  const selectors = codeFunctions(one.code).map(({ selector }) => selector.slice(2));
  const powers = findPowers(one.code, selectors);
  return { ...one, powers, ms: performance.now() - start };
};

const writeScores = (path: string, scored: readonly Scored[]): void => {
  const lines = scored.map(
    ({ address, powers }) =>
      `${address},${POWERS.map((power) => powers[power].score.toFixed(4)).join(',')}\n`,
  );
  writeFileSync(path, `address,${POWERS.join(',')}\n${lines.join('')}`);
};

const writeFindings = (path: string, scored: readonly Scored[]): void => {
  const lines = scored.flatMap(({ address, powers }) =>
    POWERS.flatMap((power) =>
      powers[power].findings.map(
        ({ selector, reason }) => `${address},${power},${selector},${reason}\n`,
      ),
    ),
  );
  writeFileSync(path, `address,power,function,reason\n${lines.join('')}`);
};

const describeTime = (scored: readonly Scored[]): string => {
  const times = scored.map(({ ms }) => ms);
  const [median, high, highest] = [0.5, 0.99, 1].map((share) => percentile(times, share));
  return `median ${median?.toFixed(1)} ms, p99 ${high?.toFixed(0)} ms, at most ${highest?.toFixed(0)} ms`;
};

const describe = (name: string, rows: readonly ScoredRow[]): string => {
  const { precision, recall, f1 } = figuresOf(rows);
  const [low, high] = f1Interval(rows);
  const auc = rocAuc(rows);
  const figures = [
    `precision ${precision.toFixed(3)}`,
    `recall ${recall.toFixed(3)}`,
    `F1 ${f1.toFixed(3)} (95 %: ${low.toFixed(3)} to ${high.toFixed(3)})`,
    `ROC-AUC ${Number.isNaN(auc) ? 'not defined' : auc.toFixed(3)}`,
  ];
  return `${name}: ${rows.length} labels, ${figures.join(', ')}`;
};

const compare = (scored: readonly Scored[], labels: Labels): string[] => {
  const rowsOf = (power: Power) =>
    scored.flatMap(({ address, powers }) => {
      const isPositive = labels.get(power)?.get(address.toLowerCase());
      return isPositive === undefined ? [] : [{ isPositive, score: powers[power].score }];
    });
  return [
    ...POWERS.map((power) => describe(power, rowsOf(power))),
    describe('all', POWERS.flatMap(rowsOf)),
  ];
};

const main = async (): Promise<void> => {
  const given = readOptions(USAGE, ['codes', 'out'], ['findings', 'labels']);
  const { codes, out, findings, labels } = given;
  const known = labels ? await readLabels(labels) : undefined;
  // Files are written at the end, so that an unreadable row leaves no partial output.
  const scored: Scored[] = [];
  for await (const one of readCodes(codes)) {
    scored.push(score(one));
    if (scored.length % CONTRACTS_PER_REPORT === 0) {
      console.error(`${scored.length} contracts scored`);
    }
  }
  writeScores(out, scored);
  if (findings) writeFindings(findings, scored);
  for (const line of known ? compare(scored, known) : []) console.log(line);
  console.log(`${out}: ${scored.length} contracts scored, ${describeTime(scored)}`);
};

await runCommand(main);
