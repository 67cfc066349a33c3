import { prettyFactory } from 'pino-pretty';

/** Writes a duration with its two largest units. */
export const formatDuration = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000);
  const [minutes, hours, days] = [60, 3_600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
};

/** Lays rows out in columns. */
export const formatTable = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/**
 * Shows lines of logs, which the programs write as JSON, as they are read.
 * @param options.without names of fields that are left out.
 */
export const createLogFormat = (options: {
  colorize: boolean;
  without: readonly string[];
}): ((line: string) => string) => {
  const pretty = prettyFactory({
    colorize: options.colorize,
    ignore: options.without.join(','),
    singleLine: true,
    translateTime: 'UTC:yyyy-mm-dd HH:MM:ss.l',
  });
  return (line) => pretty(line).trimEnd();
};

/** A log line about a failure, without the stack, which is in the log. */
export const shortLogLine = createLogFormat({ colorize: false, without: ['role', 'chain', 'err'] });
