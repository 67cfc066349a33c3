/**
 * What can be exported: the view, its time column, and columns whose type Parquet lacks, which are written as decimal
 * text or names.
 */
const EXPORTS = {
  verdicts: { at: 'analyzed_at', asText: ['prediction'] },
  tokens: { at: 'created_at', asText: ['total_supply', 'creator_source', 'confirmed_by'] },
  trades: { at: 'timestamp', asText: ['amount_in', 'amount_out', 'amount0', 'amount1'] },
} as const;

export type ExportKind = keyof typeof EXPORTS;
export const EXPORT_KINDS = Object.keys(EXPORTS) as [ExportKind, ...ExportKind[]];

/** Whether a text is a calendar day, such as `2026-01-31`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

/** The rows of one analyst view in one UTC day as a Parquet file; of one chain if it is given. */
export const exportSql = (kind: ExportKind, day: string, chainId?: number): string => {
  if (!isDay(day)) throw new Error(`${day} is no day`);
  const { at, asText } = EXPORTS[kind];
  const replaced = asText.map((column) => `toString(${column}) AS ${column}`).join(', ');
  const start = `toDateTime('${day} 00:00:00', 'UTC')`;
  const ofChain = chainId === undefined ? '' : ` AND chain_id = ${chainId}`;
  return `SELECT * REPLACE (${replaced}) FROM ${kind}
WHERE ${at} >= ${start} AND ${at} < ${start} + INTERVAL 1 DAY${ofChain} FORMAT Parquet`;
};

/** The days for which a view has rows, in order. */
export const exportDaysSql = (kind: ExportKind): string =>
  `SELECT DISTINCT toDate(${EXPORTS[kind].at}) AS day FROM ${kind} ORDER BY day`;
