import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../shared/platform/projectRoot.ts';

/** A whole number with thousands separators. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Rows as a table in Markdown, the head first. */
export const markdownTable = (rows: readonly (readonly string[])[]): string => {
  const [head = [], ...rest] = rows;
  return [head, head.map(() => '---'), ...rest].map((row) => `| ${row.join(' | ')} |`).join('\n');
};

/** The machine of a measurement, in words. @param othersShare share of the CPU used by other work, 0 to 1 */
export const machineLine = (othersShare: number): string =>
  `Node ${process.versions.node}, ${cpus().length} cores, ${Math.round(totalmem() / 1024 ** 3)} GiB; other work took ${Math.round(100 * othersShare)} % of the CPU`;

/** Prints a report and inserts it between two markers of a page of `deploy`. */
export const writeReport = (
  page: string,
  [begin, end]: readonly [string, string],
  lines: readonly string[],
): void => {
  const report = [begin, ...lines, end].join('\n');
  console.log(report);
  const path = join(projectRoot(), 'deploy', page);
  const text = readFileSync(path, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end) + end.length];
  writeFileSync(path, text.slice(0, from) + report + text.slice(to));
};
