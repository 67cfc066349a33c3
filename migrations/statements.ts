const COMMENT = '--';
const ESCAPED = /\\./g;

const hasOpenString = (line: string): boolean =>
  line.replace(ESCAPED, '').split("'").length % 2 === 0;

const refusalOf = (statement: string): string | undefined => {
  if (statement === '') return 'is empty';
  if (statement.includes(';')) return 'has a ; that is not at the end of a line';
  if (statement.includes(COMMENT) || statement.includes('/*')) {
    return 'has a comment that is not a line of its own';
  }
  if (statement.split('\n').some(hasOpenString)) return 'has a string that goes over lines';
  return undefined;
};

/**
 * The statements of a migration, in order, without comments. A statement ends with `;` at the end of a line, and a
 * comment is a line that begins with `--`. Ambiguous text is refused, so that no parser is needed.
 * @throws Error if a `;` or a comment is elsewhere, a string spans lines, or the last `;` is missing.
 */
export const splitStatements = (sql: string): string[] => {
  const code = sql
    .split('\n')
    .filter((line) => !line.startsWith(COMMENT))
    .join('\n')
    .trim();
  if (!code.endsWith(';')) throw new Error('the last statement must end with ;');
  const statements = code
    .slice(0, -1)
    .split(';\n')
    .map((statement) => statement.trim());
  statements.forEach((statement, index) => {
    const refusal = refusalOf(statement);
    if (refusal) throw new Error(`statement ${index + 1} ${refusal}: ${statement.slice(0, 80)}`);
  });
  return statements;
};
