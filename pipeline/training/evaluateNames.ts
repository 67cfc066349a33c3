import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { NAME_WEIGHTS } from '../scorer/name/artifacts/nameWeights.ts';
import { scoreName } from '../scorer/name/nameModel.ts';
import { InputError, runCommand } from './readCsv.ts';
import { type NameRow, readNames } from './readNames.ts';

const USAGE = 'usage: make evaluate-names NAMES=names.csv.gz OUT=scores.csv';
const ROWS_PER_BATCH = 10_000;
const SCORE_DIGITS = 6;

/** Quoted where a chain's name has to be. */
const cell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const lineOf = (row: NameRow): string =>
  `${cell(row.chain)},${row.written},${scoreName(row).probability.toFixed(SCORE_DIGITS)}\n`;

const main = async (): Promise<void> => {
  const { names, out } = parseArgs({
    options: { names: { type: 'string' }, out: { type: 'string' } },
  }).values;
  if (!names || !out) throw new InputError(USAGE);
  let lines: string[] = ['chain,address,score\n'];
  let done = 0;
  // The file is made with the first batch: a row that cannot be read early leaves none behind.
  const write = (): void => {
    if (done <= ROWS_PER_BATCH) writeFileSync(out, '');
    appendFileSync(out, lines.join(''));
    lines = [];
  };
  for await (const row of readNames(names)) {
    lines.push(lineOf(row));
    done += 1;
    if (done % ROWS_PER_BATCH === 0) write();
  }
  if (done === 0 || lines.length > 0) write();
  const { name, alarmFrom } = NAME_WEIGHTS;
  console.log(`${out}: ${done} names scored by ${name}; spam from ${alarmFrom} on`);
};

await runCommand(main);
