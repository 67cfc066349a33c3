import { z } from 'zod';
import { addressParam, asAddress } from '../chain/address.ts';
import type { Hex } from '../chain/block.ts';
import { addressSchema } from '../messages/schemas.ts';
import { hexText } from '../rules/hexText.ts';
import { RISK_LEVEL_SQL } from '../rules/riskLevel.ts';
import {
  changedCounts,
  isTerm,
  type ListedVerdict,
  movedPlaces,
  SORTS,
  SPANS,
  type TokenCount,
  type TokenPlace,
} from '../rules/tokenPlaces.ts';
import type { Clickhouse, QueryParams } from './clickhouse.ts';
import { createTableWriter } from './rowWriter.ts';

// What lists, totals and searches read follows from `token_verdicts`, which is written first. Each of its rows says what
// it replaces: so the last ones can be followed again after a crash.

/** Tables that follow from `token_verdicts`. */
export const LIST_TABLES = ['token_sort_index', 'token_totals'] as const;

/** What a row of `token_verdicts` changes in lists, totals and searches. */
export interface ListChange {
  readonly chainId: number;
  readonly token: Hex;
  /** Version of all that follows from the row: its column `seq`. */
  readonly seq: number;
  /** What it replaced; undefined: the token had no verdict. */
  readonly previous: ListedVerdict | undefined;
  /** Undefined: the token has no verdict any more. */
  readonly current:
    | (ListedVerdict & { readonly model: string; readonly blockNumber: number })
    | undefined;
}

interface IndexRow extends Pick<ListChange, 'chainId' | 'token' | 'seq'> {
  readonly place: TokenPlace;
  /** Undefined: the token left the place. */
  readonly shown: { readonly summary: string; readonly failed: readonly string[] } | undefined;
}

const writeIndex = createTableWriter<IndexRow>('token_sort_index', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  sort: (row, { place }) => row.uint8(SORTS[place.sort]),
  value: (row, { place: { sort, value } }) => {
    // The bits of fractions that are not negative have their order.
    if (sort === 'confidence' || sort === 'risk_score') row.float64(value);
    else row.uint64(value);
  },
  text: (row, { place }) => row.string(place.text),
  token: (row, { token }) => row.fixed(token),
  is_scam: (row, { place }) => row.uint8(place.isScam),
  percent: (row, { place }) => row.uint8(place.percent),
  risk: (row, { place }) => row.uint16(place.risk),
  created_at: (row, { place }) => row.uint32(place.createdAtS),
  summary_json: (row, { shown }) => row.string(shown?.summary ?? ''),
  seq: (row, { seq }) => row.uint64(seq),
  is_deleted: (row, { shown }) => row.uint8(shown ? 0 : 1),
  failed: (row, { shown }) => {
    row.length(shown?.failed.length ?? 0);
    for (const id of shown?.failed ?? []) row.string(id);
  },
});

const writeTotals = createTableWriter<
  TokenCount & { readonly chainId: number; readonly tokens: number }
>('token_totals', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  span: (row, { span }) => row.uint8(SPANS[span]),
  start: (row, { startDay }) => row.uint16(startDay),
  risk: (row, { risk }) => row.uint16(risk),
  check_id: (row, { checkId }) => row.string(checkId),
  is_scam: (row, { isScam }) => row.uint8(isScam),
  level: (row, { level }) => row.uint8(level),
  percent: (row, { percent }) => row.uint8(percent),
  tokens: (row, { tokens }) => row.uint64(tokens),
});

/** The column `summary_json`, as `token_verdicts` has it. */
const summaryOf = (current: NonNullable<ListChange['current']>): string => {
  const { name, symbol, confidence, riskScore, model } = current;
  const { createdAtS, analyzedAtMs, blockNumber } = current;
  return JSON.stringify([
    name,
    symbol,
    confidence,
    riskScore,
    model,
    createdAtS,
    analyzedAtMs,
    blockNumber,
  ]);
};

const NOTHING_SHOWN = { summary: '', failed: [] };

const indexRows = (change: ListChange): IndexRow[] => {
  const { chainId, token, seq, current } = change;
  const { written, left } = movedPlaces(change);
  const shown = current ? { summary: summaryOf(current), failed: current.failed } : NOTHING_SHOWN;
  const of = { chainId, token, seq };
  return [
    ...written.map((place) => ({ ...of, place, shown: isTerm(place) ? NOTHING_SHOWN : shown })),
    ...left.map((place) => ({ ...of, place, shown: undefined })),
  ];
};

/** All places of the token, also those that an earlier row of it should have written, and those that it left. */
const wholeRows = (change: ListChange): IndexRow[] => [
  ...indexRows({ ...change, previous: undefined }),
  ...(change.previous ? indexRows(change) : []),
];

type Writable = Pick<Clickhouse, 'insertBinary'>;

/**
 * Follows verdicts of one chain that were stored, each once, and in their order where they are of one token. Where it
 * rejects nothing is under way any more, and `repairLists` has to follow.
 */
export const writeLists = async (
  clickhouse: Writable,
  changes: readonly ListChange[],
): Promise<void> => {
  const [first] = changes;
  if (!first) return;
  const { chainId } = first;
  const written = await Promise.allSettled([
    writeIndex(clickhouse, changes.flatMap(indexRows)),
    writeTotals(
      clickhouse,
      changedCounts(changes).map((count) => ({ chainId, ...count })),
    ),
  ]);
  for (const one of written) if (one.status === 'rejected') throw one.reason;
};

const LISTED = {
  name: z.string(),
  symbol: z.string(),
  is_scam: z.number(),
  confidence: z.number(),
  risk_score: z.number(),
  created_at: z.string(),
  analyzed_at: z.string(),
  failed: z.array(z.string()),
};
const previousSchema = z.object({ ...LISTED, existed: z.number() });
const rowSchema = z.object({
  ...LISTED,
  address: addressSchema,
  seq: z.number(),
  is_deleted: z.number(),
  model: z.string(),
  block_number: z.number(),
  previous: previousSchema,
});

const MS_PER_S = 1_000;

const listedOf = (row: z.infer<typeof previousSchema> | z.infer<typeof rowSchema>) =>
  ({
    name: row.name,
    symbol: row.symbol,
    prediction: row.is_scam === 1 ? 'SCAM' : 'LEGIT',
    confidence: row.confidence,
    riskScore: row.risk_score,
    createdAtS: Date.parse(row.created_at) / MS_PER_S,
    analyzedAtMs: Date.parse(row.analyzed_at),
    failed: row.failed,
  }) as const;

/** The last row of each of some tokens, by their addresses. */
const lastRowsSql = (tokens: string, tokensMax: number): string =>
  `SELECT ${hexText('v.token')} AS address, v.seq AS seq, v.is_deleted AS is_deleted, v.name AS name, v.symbol AS symbol,
     v.is_scam AS is_scam, v.confidence AS confidence, v.risk_score AS risk_score, v.created_at AS created_at,
     v.analyzed_at AS analyzed_at, v.failed AS failed, toString(v.model) AS model, v.block_number AS block_number,
     v.previous AS previous
   FROM token_verdicts AS v WHERE v.chain_id = {chainId:UInt64} AND ${tokens}
   ORDER BY v.token, v.version DESC, v.seq DESC LIMIT 1 BY v.token LIMIT ${tokensMax}`;

const readChanges = async (
  clickhouse: Pick<Clickhouse, 'query'>,
  sql: string,
  params: QueryParams & { readonly chainId: number },
): Promise<ListChange[]> => {
  const rows = await clickhouse.query(sql, params, rowSchema);
  return rows.map((row) => {
    const { address, seq, model, block_number: blockNumber, previous } = row;
    const current = row.is_deleted === 1 ? undefined : { ...listedOf(row), model, blockNumber };
    const before = previous.existed === 1 ? listedOf(previous) : undefined;
    return { chainId: params.chainId, token: address, seq, previous: before, current };
  });
};

/** Verdicts that are followed again: more than are ever stored together. */
const LATEST_MAX = 2_000;
const LATEST = `v.token IN (SELECT token FROM token_verdicts WHERE chain_id = {chainId:UInt64}
  ORDER BY seq DESC LIMIT ${LATEST_MAX})`;

const IN_FORCE = 'token_verdicts FINAL WHERE chain_id = {chainId:UInt64}';

/** Adds what `token_totals` lacks of the tokens there are; the spans are those of `changedCounts`. */
const TOTALS_SQL = `INSERT INTO token_totals (chain_id, span, start, risk, check_id, is_scam, level, percent, tokens)
  SELECT {chainId:UInt64}, span, start, at_risk, id, is_scam, level, percent, sum(counted) AS tokens FROM (
    SELECT spans.1 AS span, spans.2 AS start, spans.3 AS at_risk, '' AS id, is_scam, level, percent, counted FROM (
      SELECT is_scam, ${RISK_LEVEL_SQL} AS level, percent, risk, toDate(created_at) AS creation_day, toInt64(count()) AS counted
      FROM ${IN_FORCE} GROUP BY is_scam, level, percent, risk, creation_day
    ) ARRAY JOIN [('all', toDate(0), toUInt16(0)), ('risk', toDate(0), risk),
      ('month', toStartOfMonth(creation_day), toUInt16(0)), ('day', creation_day, toUInt16(0))] AS spans
    UNION ALL
    SELECT 'check', toDate(0), toUInt16(0), toString(arrayJoin(failed)), is_scam, ${RISK_LEVEL_SQL}, percent, toInt64(1) FROM ${IN_FORCE}
    UNION ALL
    SELECT toString(span), start, risk, toString(check_id), is_scam, level, percent, -tokens FROM token_totals
    WHERE chain_id = {chainId:UInt64}
  ) GROUP BY span, start, at_risk, id, is_scam, level, percent HAVING tokens != 0`;

type Repairable = Pick<Clickhouse, 'query' | 'exec' | 'insertBinary'>;

/**
 * Makes lists complete again after `writeLists` may have been cut off or not have begun. No verdict of the chain may be
 * written meanwhile. Reads all tokens: tenths of a second of a core for each million.
 */
export const repairLists = async (clickhouse: Repairable, chainId: number): Promise<void> => {
  const changes = await readChanges(clickhouse, lastRowsSql(LATEST, LATEST_MAX), { chainId });
  await writeIndex(clickhouse, changes.flatMap(wholeRows));
  await clickhouse.exec(TOTALS_SQL, { chainId });
};

/** Tokens read at a time. */
const PAGE_TOKENS = 10_000;
const PAGE = lastRowsSql(`({after:String} = '' OR v.token > ${asAddress('after')})`, PAGE_TOKENS);

/** Fills lists with the verdicts there are, of all chains. None may be written meanwhile. */
export const fillLists = async (clickhouse: Repairable): Promise<void> => {
  const chains = await clickhouse.query(
    'SELECT DISTINCT chain_id AS id FROM token_verdicts',
    {},
    z.object({ id: z.number() }),
  );
  for (const { id: chainId } of chains) {
    let after = '';
    for (;;) {
      const changes = await readChanges(clickhouse, PAGE, { chainId, after });
      const last = changes.at(-1);
      if (!last) break;
      await writeIndex(clickhouse, changes.flatMap(wholeRows));
      after = addressParam(last.token);
    }
    await clickhouse.exec(TOTALS_SQL, { chainId });
  }
};
