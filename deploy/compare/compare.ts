import { writeReport } from '../report.ts';
import { BACKFILL_OF, backfillTable, measureBackfill } from './backfill.ts';
import { HEAD_OF, headTable, measureHead } from './head.ts';
import { installPonder, installSqd } from './peers.ts';
import { startPostgres } from './postgres.ts';
import { measureReads, readsReport } from './reads.ts';
import { type Prepared, prepareOurs, preparePonder, prepareSqd } from './subjects.ts';
import { machineOf, ROUNDS, takeTurns } from './takeTurns.ts';

// This service in turns with Ponder and SQD on the same chains, and with PostgreSQL on the same rows: make compare
// The tables go into COMPARISON.md; what is compared, and what is not, is said there.

/** `backfill`, `head` or `reads`; empty: all. */
const PART = process.env['PART'] ?? '';
const wants = (part: 'backfill' | 'head' | 'reads'): boolean => PART === '' || PART === part;
const marksOf = (part: string) =>
  [`<!-- ${part}: written by make compare -->`, `<!-- end of ${part} -->`] as const;

/** Programs that index a chain. */
const compareIndexers = async (): Promise<void> => {
  const [ponder, sqd] = [await installPonder(), await installSqd()];
  const probe = await startPostgres(sqd.folder);
  await probe.stop();
  const store = `PostgreSQL ${probe.version}`;
  const subjects = new Map<string, () => Promise<Prepared>>([
    ['this service, ClickHouse', prepareOurs],
    [`Ponder ${ponder.version}, ${store}`, () => preparePonder(ponder)],
    [`SQD ${sqd.version}, ${store}`, () => prepareSqd(sqd)],
  ]);
  if (wants('backfill')) {
    const backfills = await takeTurns(subjects, measureBackfill);
    writeReport('COMPARISON.md', marksOf('backfill'), [
      `${BACKFILL_OF}, median of ${ROUNDS} alternating rounds, ${machineOf(backfills)}:`,
      '',
      backfillTable(backfills),
    ]);
  }
  if (wants('head')) {
    const heads = await takeTurns(subjects, measureHead);
    writeReport('COMPARISON.md', marksOf('head'), [
      `${HEAD_OF}, ${ROUNDS} alternating rounds, ${machineOf(heads)}:`,
      '',
      headTable(heads),
    ]);
  }
};

if (wants('backfill') || wants('head')) await compareIndexers();
if (wants('reads'))
  writeReport('COMPARISON.md', marksOf('reads'), readsReport(await measureReads()));
