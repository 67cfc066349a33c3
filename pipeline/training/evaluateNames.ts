import { writeFileSync } from 'node:fs';
import { NAME_WEIGHTS } from '../scorer/name/artifacts/nameWeights.ts';
import { scoreName } from '../scorer/name/nameModel.ts';
import { readOptions, runCommand } from './readCsv.ts';
import { type NameRow, readNames } from './readNames.ts';

const USAGE = 'usage: make evaluate-names NAMES=names.csv.gz OUT=scores.csv';
const SCORE_DIGITS = 6;

/** Quoted if a chain's name requires it. */
const cell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const lineOf = (row: NameRow): string =>
  `${cell(row.chain)},${row.written},${scoreName(row).probability.toFixed(SCORE_DIGITS)}\n`;

const main = async (): Promise<void> => {
  const { names, out } = readOptions(USAGE, ['names', 'out']);
  // The file is written at the end, so that an unreadable row leaves no partial output.
  const lines: string[] = [];
  for await (const row of readNames(names)) lines.push(lineOf(row));
  writeFileSync(out, `chain,address,score\n${lines.join('')}`);
  const { name, alarmFrom } = NAME_WEIGHTS;
  console.log(`${out}: ${lines.length} names scored by ${name}; spam from ${alarmFrom} on`);
};

await runCommand(main);
