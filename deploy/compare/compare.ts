import { percentile } from '../bench/figures.ts';
import { machineLine, writeReport } from '../report.ts';
import { BACKFILL_OF, type BackfillResult, backfillTable, measureBackfill } from './backfill.ts';
import { HEAD_OF, type HeadResult, headTable, measureHead } from './head.ts';
import { installPonder, installSqd } from './peers.ts';
import { startPostgres } from './postgres.ts';
import { type Prepared, prepareOurs, preparePonder, prepareSqd } from './subjects.ts';

// This service, Ponder and SQD in turns on the same chains: make compare
// The tables go into COMPARISON.md; what is compared, and what is not, is said there.

const ROUNDS = Number(process.env['ROUNDS'] || 3);
/** `backfill` or `head`; empty: both. */
const PART = process.env['PART'] ?? '';
const BACKFILL_MARKS = [
  '<!-- backfill: written by make compare -->',
  '<!-- end of backfill -->',
] as const;
const HEAD_MARKS = ['<!-- head: written by make compare -->', '<!-- end of head -->'] as const;

type Subjects = ReadonlyMap<string, () => Promise<Prepared>>;

/** Measures each of them in every round, the order shifted by one from round to round. */
const takeTurns = async <T extends object>(
  subjects: Subjects,
  measure: (prepare: () => Promise<Prepared>) => Promise<T>,
): Promise<Map<string, T[]>> => {
  const results = new Map([...subjects.keys()].map((name): [string, T[]] => [name, []]));
  const order = [...subjects];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, prepare] of order) {
      const result = await measure(prepare);
      results.get(name)?.push(result);
      console.log(name, JSON.stringify(result));
    }
    order.push(...order.splice(0, 1));
  }
  return results;
};

const machineOf = (results: ReadonlyMap<string, readonly { others: number }[]>): string => {
  const others = [...results.values()].flat().map((one) => one.others);
  return machineLine(percentile(others, 0.5));
};

const main = async (): Promise<void> => {
  const [ponder, sqd] = [await installPonder(), await installSqd()];
  const probe = await startPostgres(sqd.folder);
  await probe.stop();
  const store = `PostgreSQL ${probe.version}`;
  const subjects: Subjects = new Map([
    ['this service, ClickHouse', prepareOurs],
    [`Ponder ${ponder.version}, ${store}`, () => preparePonder(ponder)],
    [`SQD ${sqd.version}, ${store}`, () => prepareSqd(sqd)],
  ]);
  if (PART !== 'head') {
    const backfills = await takeTurns<BackfillResult>(subjects, measureBackfill);
    writeReport('COMPARISON.md', BACKFILL_MARKS, [
      `${BACKFILL_OF}, median of ${ROUNDS} alternating rounds, ${machineOf(backfills)}:`,
      '',
      backfillTable(backfills),
    ]);
  }
  if (PART !== 'backfill') {
    const heads = await takeTurns<HeadResult>(subjects, measureHead);
    writeReport('COMPARISON.md', HEAD_MARKS, [
      `${HEAD_OF}, ${ROUNDS} alternating rounds, ${machineOf(heads)}:`,
      '',
      headTable(heads),
    ]);
  }
};

await main();
