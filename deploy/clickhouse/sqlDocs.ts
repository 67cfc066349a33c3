import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { splitStatements } from '../../migrations/statements.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';

/** Runs one query as the analyst: rows, tab-separated, below their column names. */
type Ask = (sql: string) => Promise<string>;

/** A question, its SQL, and the answer below it, if there is one. */
const QUESTION = /^([A-Z][^\n]+\?)\n\n```sql\n([^`]+)\n```\n(?:\n```text\n[^`]*```\n)?/gm;

/** The questions of a document, in order. */
export const questionsOf = (markdown: string): { title: string; sql: string }[] =>
  [...markdown.matchAll(QUESTION)].map(([, title = '', sql = '']) => ({ title, sql }));

/** Columns as wide as their widest value. */
const aligned = (rows: string): string => {
  const cells = rows
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return cells.map((row) => line(row).trimEnd()).join('\n');
};

/** The document with the answer below each question. */
export const withAnswers = async (markdown: string, ask: Ask): Promise<string> => {
  let text = markdown;
  for (const { title, sql } of questionsOf(markdown)) {
    const answer = aligned(await ask(sql));
    text = text.replace(QUESTION, (found, ...[ofTitle]: string[]) =>
      ofTitle === title
        ? `${title}\n\n\`\`\`sql\n${sql}\n\`\`\`\n\n\`\`\`text\n${answer}\n\`\`\`\n`
        : found,
    );
  }
  return text;
};

const columnRow = z.object({
  view: z.string(),
  name: z.string(),
  type: z.string(),
  comment: z.string(),
});
export type ViewColumn = z.output<typeof columnRow>;

/** Everything the analyst can read: every column of every view, in order. */
export const readColumns = async (ask: Ask): Promise<ViewColumn[]> => {
  const rows = await ask(`SELECT table, name, type, comment FROM system.columns
    WHERE database = currentDatabase() ORDER BY table, position`);
  return rows
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [view, name, type, comment] = line.replaceAll("\\'", "'").split('\t');
      return columnRow.parse({ view, name, type, comment });
    });
};

const HEAD = `# Views for analysts

Written by \`make sql-docs\` from the comments in the database; \`SELECT name, type, comment FROM system.columns WHERE
table = 'trades'\` shows the same. [ANALYSTS.md](ANALYSTS.md) says how to query them; [questions](QUESTIONS.md) are examples.

Addresses and hashes are text everywhere: \`0x\` and lower-case digits. Columns of the same name join: \`chain_id\` and
\`token\`, \`market\`, \`wallet\` or \`cluster_id\`.

\`\`\`mermaid
erDiagram
  tokens ||--o| verdicts : token
  tokens ||--o{ past_verdicts : token
  tokens ||--o| contracts : token
  verdicts ||--o{ checks : token
  verdicts ||--o{ locks : token
  tokens ||--o{ transfers : token
  tokens ||--o{ holders : token
  tokens ||--o{ prices : token
  tokens ||--o| outcomes : token
  tokens ||--o| losses : token
  tokens ||--o| rugs : token
  markets ||--o{ trades : market
  tokens }o--o{ markets : "token0, token1"
  wallets ||--o{ tokens : "wallet = creator"
  wallets ||--o{ wallet_steps : wallet
  wallets ||--o{ wallet_edges : "wallet = node"
  rings ||--o{ ring_members : cluster_id
  rings ||--o{ cluster_evidence : cluster_id
  wallets ||--o| ring_members : wallet
\`\`\`
`;

/** The dictionary: one table per view. */
export const renderDictionary = (columns: readonly ViewColumn[]): string => {
  const sections = [...groupBy(columns, ({ view }) => view)].map(([view, own]) => {
    const rows = own.map(
      ({ name, type, comment }) =>
        `| \`${name}\` | \`${type}\` | ${comment.replaceAll('|', '\\|')} |`,
    );
    return `\n## ${view}\n\n| column | type | what |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return HEAD + sections.join('');
};

/** Milliseconds a query of the document may take. */
export const QUERY_MS_MAX = 60_000;

/** Fills the tables with the data for QUESTIONS.md. */
export const fillSample = async (database: Pick<Clickhouse, 'exec'>): Promise<void> => {
  const sql = readFileSync(new URL('./sampleMarkets.sql', import.meta.url), 'utf8');
  for (const statement of splitStatements(sql)) await database.exec(statement);
};
