/** A cell of one line, or of several. */
export type Cell = string | readonly string[];

const GAP = '  ';

/**
 * Lays out rows in columns as wide as their longest line, with a rule under the header. Widths are
 * counted in characters, so cells must hold plain text.
 */
export const formatTable = (
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): string => {
  const blocks = rows.map((row) => row.map(linesOf));
  const widths = header.map((title, column) =>
    Math.max(
      title.length,
      ...blocks.flatMap((row) => (row[column] ?? []).map(({ length }) => length)),
    ),
  );
  const layOut = (cells: readonly string[]): string =>
    widths
      .map((width, column) => (cells[column] ?? '').padEnd(width))
      .join(GAP)
      .trimEnd();
  const body = blocks.flatMap((row) => {
    const height = Math.max(1, ...row.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => layOut(row.map((cell) => cell[line] ?? '')));
  });
  return [layOut(header), layOut(widths.map((width) => '─'.repeat(width))), ...body].join('\n');
};

const linesOf = (cell: Cell): readonly string[] => (typeof cell === 'string' ? [cell] : cell);
