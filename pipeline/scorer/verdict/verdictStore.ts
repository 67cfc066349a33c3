import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/address.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  type ColumnWriters,
  createTableWriter,
  type RowWriter,
} from '../../../shared/platform/rowWriter.ts';
import { CHECKS } from '../checks/checks.ts';
import { cacheUpdate, NO_CACHE, type ReadCache } from '../readCache.ts';
import type { Verdict } from './assembleVerdict.ts';
import { type LastVerdict, readLastVerdicts } from './lastVerdicts.ts';

/** A verdict with the additional columns of its row. */
export interface StoredVerdict {
  readonly chainId: number;
  readonly token: Hex;
  readonly name: string;
  readonly symbol: string;
  readonly creator: Hex;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** Unix milliseconds. */
  readonly analyzedAtMs: number;
  /** Chain position the verdict covers: see `chainPosition`. */
  readonly position: number;
  /** Age of the main pool in seconds, for a verdict at one of `HORIZONS_S`; 0 for the last event. */
  readonly horizonS: number;
  /** The time whose facts it is based on, Unix seconds. */
  readonly asOfS: number;
  /** Whether there is no later data than what it is based on. */
  readonly isInForce: boolean;
  readonly verdict: Verdict;
  /** The largest holder of the token, and its share of all held tokens. */
  readonly holders: readonly (readonly [Hex, number])[];
}

/** Storage of verdicts. */
export interface VerdictStore {
  /**
   * Stores verdicts of one chain in the history, and those in force where the API reads tokens.
   * @param messages for those in force, at most one per token, each stored in the row of its verdict
   * @param last result of `last` for their tokens
   */
  insert(
    verdicts: readonly StoredVerdict[],
    messages: readonly ScoreMessage[],
    last: ReadonlyMap<Hex, LastVerdict>,
  ): Promise<void>;
  /** Messages of verdicts in force that were computed since a time (Unix milliseconds), the latest of them. */
  unpublished(chainId: number, sinceMs: number): Promise<ScoreMessage[]>;
  /** The last verdicts of those tokens that ever had one. */
  last(chainId: number, tokens: readonly Hex[]): Promise<Map<Hex, LastVerdict>>;
  /** Inserts tombstones for the verdicts of tokens that a reorg removed. */
  insertTombstones(chainId: number, tokens: readonly Hex[], position: number): Promise<void>;
  /** Inserts tombstones for verdicts on orphaned blocks, and for those at horizons after the ancestor. */
  insertHistoryTombstones(parts: {
    chainId: number;
    ancestor: BlockRef & { readonly timestampS: number };
    orphaned: readonly Hex[];
    /** Tokens that were scored at such horizons. */
    undone: readonly Hex[];
    position: number;
  }): Promise<void>;
}

/** A verdict in force, with the additional columns of its row. */
interface VerdictInForce extends StoredVerdict {
  readonly seq: number;
  readonly message: ScoreMessage | undefined;
}

/** The columns that both tables have. */
const SCORE_COLUMNS: ColumnWriters<StoredVerdict> = {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  block_number: (row, { verdict }) => row.uint64(verdict.doc.provenance.block_number),
  block_hash: (row, { verdict }) => row.fixed(verdict.doc.provenance.block_hash as Hex),
  prediction: (row, { verdict }) => row.uint8(verdict.prediction === 'SCAM' ? 1 : 0),
  confidence: (row, { verdict }) => row.float64(verdict.confidence),
  risk_score: (row, { verdict }) => row.float64(verdict.riskScore),
  model: (row, { verdict }) => row.string(verdict.doc.provenance.model),
  analyzed_at: (row, { analyzedAtMs }) => row.uint64(analyzedAtMs),
};
const VERSION_COLUMNS: ColumnWriters<StoredVerdict> = {
  version: (row, { position }) => row.uint64(position),
  is_deleted: (row) => row.uint8(0),
};

/** The tax measured by a simulated trade, the token's or its pool hook's; undefined if not measured. */
const tradeTax = ({ checks }: Verdict['doc']): number | undefined => {
  const measured = checks.flatMap(({ id, status, value }) =>
    CHECKS.get(id)?.measuresTax &&
    (status === 'pass' || status === 'fail') &&
    typeof value === 'number'
      ? value
      : [],
  );
  return measured.length > 0 ? Math.max(...measured) : undefined;
};

const criticalCheck = ({ checks }: Verdict['doc']): string =>
  checks.find(({ status, severity }) => status === 'fail' && severity === 'critical')?.id ?? '';

const writeMap = (row: RowWriter, values: Readonly<Record<string, number>>): void => {
  const entries = Object.entries(values);
  row.length(entries.length);
  for (const [key, value] of entries) {
    row.string(key);
    row.float64(value);
  }
};

const writeTexts = (row: RowWriter, texts: readonly string[]): void => {
  row.length(texts.length);
  for (const text of texts) row.string(text);
};

const failedChecks = ({ checks }: Verdict['doc']): string[] =>
  checks.flatMap(({ id, status }) => (status === 'fail' ? [id] : [])).toSorted();

const HISTORY_COLUMNS: ColumnWriters<StoredVerdict> = {
  ...SCORE_COLUMNS,
  horizon_s: (row, { horizonS }) => row.uint32(horizonS),
  as_of: (row, { asOfS }) => row.uint32(asOfS),
  trigger: (row, { verdict }) => row.string(verdict.doc.provenance.trigger ?? ''),
  probability: (row, { verdict }) => row.float64(verdict.doc.probability),
  model_sha256: (row, { verdict }) => row.string(verdict.doc.provenance.model_sha256),
  critical_check: (row, { verdict }) => row.string(criticalCheck(verdict.doc)),
  trade_tax: (row, { verdict }) => row.nullable(tradeTax(verdict.doc), (tax) => row.float64(tax)),
  features: (row, { verdict }) => writeMap(row, verdict.doc.features),
  shap_values: (row, { verdict }) => writeMap(row, verdict.doc.shap_values),
};
const writeHistory = createTableWriter<StoredVerdict>('verdict_history', {
  ...HISTORY_COLUMNS,
  ...VERSION_COLUMNS,
});

const IN_FORCE_COLUMNS: ColumnWriters<StoredVerdict> = {
  ...SCORE_COLUMNS,
  name: (row, { name }) => row.string(name),
  symbol: (row, { symbol }) => row.string(symbol),
  creator: (row, { creator }) => row.fixed(creator),
  liquidity_usd: (row, { verdict }) => row.float64(verdict.doc.features.liquidity_usd),
  created_at: (row, { createdAtS }) => row.uint32(createdAtS),
  doc: (row, { verdict }) => row.string(JSON.stringify(verdict.doc)),
  holders: (row, { holders }) => {
    row.length(holders.length);
    for (const [holder, share] of holders) {
      row.fixed(holder);
      row.float64(share);
    }
  },
  // Otherwise the table extracts them from the document: 0.7 of the 4.0 CPU ms for inserting one verdict.
  failed: (row, { verdict }) => writeTexts(row, failedChecks(verdict.doc)),
  features: (row, { verdict }) => writeMap(row, verdict.doc.features),
};
const writeInForce = createTableWriter<VerdictInForce>('token_verdicts', {
  ...IN_FORCE_COLUMNS,
  ...VERSION_COLUMNS,
  message: (row, { message }) => row.string(message ? JSON.stringify(message) : ''),
  seq: (row, { seq }) => row.uint64(seq),
});

const MICROSECONDS_PER_MS = 1_000;

const nowUs = (): number => Date.now() * MICROSECONDS_PER_MS;

/** Messages read at a time: more than are ever stored together. */
const MESSAGES_MAX = 1_000;
const MADE_SINCE =
  "chain_id = {chainId:UInt64} AND analyzed_at >= fromUnixTimestamp64Milli({sinceMs:Int64}) AND message != ''";
const messagesSql = `SELECT v.message AS message FROM token_verdicts AS v FINAL
  WHERE ${MADE_SINCE} AND v.token IN (SELECT token FROM token_verdicts WHERE ${MADE_SINCE})
  ORDER BY v.analyzed_at DESC LIMIT ${MESSAGES_MAX}`;
const messageSchema = z
  .object({ message: z.string() })
  .transform(({ message }) => scoreMessageSchema.parse(JSON.parse(message)));

/** The last row of each token, written again as a tombstone. */
const tombstonesSql = `INSERT INTO token_verdicts (${Object.keys(IN_FORCE_COLUMNS).join(', ')}, version, is_deleted, seq)
  SELECT ${Object.keys(IN_FORCE_COLUMNS).join(', ')}, {position:UInt64}, 1, greatest({seq:UInt64}, seq + 1)
  FROM token_verdicts
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
  ORDER BY version DESC, seq DESC LIMIT 1 BY token`;

const historyTombstonesSql = `INSERT INTO verdict_history (${Object.keys(HISTORY_COLUMNS).join(', ')}, version, is_deleted)
  SELECT ${Object.keys(HISTORY_COLUMNS).join(', ')}, {position:UInt64}, 1 FROM verdict_history FINAL
  WHERE chain_id = {chainId:UInt64}`;
const ORPHANED = `block_number > {ancestor:UInt64} AND lower(hex(block_hash)) IN {orphaned:Array(String)}`;
/** A remaining block may be the last one before a horizon that is no longer passed. */
const UNDONE = `token IN ${inAddresses('undone')} AND horizon_s > 0
    AND as_of >= toDateTime({ancestorS:UInt32}, 'UTC')`;

/** For each token the verdict in force with the highest position; among equals the last. */
const latestInForce = (verdicts: readonly StoredVerdict[]): StoredVerdict[] => {
  const latest = new Map<Hex, StoredVerdict>();
  for (const verdict of verdicts) {
    const other = latest.get(verdict.token);
    if (verdict.isInForce && !(other && other.position > verdict.position)) {
      latest.set(verdict.token, verdict);
    }
  }
  return [...latest.values()];
};

/** Rows of verdicts, without those that a later one has already replaced. */
const inForceOf = (
  verdicts: readonly StoredVerdict[],
  lastOf: ReadonlyMap<Hex, LastVerdict>,
  messages: readonly ScoreMessage[],
): VerdictInForce[] => {
  const messageOf = new Map(messages.map((message) => [message.token, message]));
  return verdicts.flatMap((stored) => {
    const last = lastOf.get(stored.token);
    if (last && last.position > stored.position) return [];
    const seq = Math.max(nowUs(), (last?.seq ?? 0) + 1);
    return { ...stored, seq, message: messageOf.get(stored.token) };
  });
};

/** A row in the form of `last`. */
const lastOfRow = ({ seq, position, verdict }: VerdictInForce): LastVerdict => {
  const { prediction, confidence, riskScore } = verdict;
  return { position, seq, isDeleted: false, prediction, confidence, riskScore };
};

/** Updates the cache after verdicts were stored. */
const noteVerdicts = (cache: ReadCache, rows: readonly VerdictInForce[]): void => {
  for (const row of rows) {
    cache.update(cacheUpdate<LastVerdict>('verdict', row.token, () => lastOfRow(row)));
  }
};

/** The tables `verdict_history` and `token_verdicts`. */
export const createVerdictStore = (
  clickhouse: Clickhouse,
  cache: ReadCache = NO_CACHE,
): VerdictStore => ({
  insert: async (verdicts, messages, last) => {
    if (verdicts.length === 0) return;
    // The history is written first, not in parallel: after a crash between the two writes, a verdict would be
    // published at the next start but missing in the history, because a token that has its verdict is not scored
    // again.
    await writeHistory(clickhouse, verdicts);
    const rows = inForceOf(latestInForce(verdicts), last, messages);
    if (rows.length === 0) return;
    await cache.write(() => writeInForce(clickhouse, rows));
    noteVerdicts(cache, rows);
  },
  unpublished: (chainId, sinceMs) =>
    clickhouse.query(messagesSql, { chainId, sinceMs }, messageSchema),
  last: (chainId, tokens) => readLastVerdicts({ clickhouse, cache }, chainId, tokens),
  insertTombstones: async (chainId, tokens, position) => {
    if (tokens.length === 0) return;
    cache.forget();
    const params = { chainId, tokens: tokens.map(addressParam), position, seq: nowUs() };
    await clickhouse.exec(tombstonesSql, params);
  },
  insertHistoryTombstones: async ({ chainId, ancestor, orphaned, undone, position }) => {
    const common = { chainId, position };
    const hashes = orphaned.map((hash) => hash.slice(2));
    const blocks = { ...common, ancestor: ancestor.number, orphaned: hashes };
    await clickhouse.exec(`${historyTombstonesSql} AND ${ORPHANED}`, blocks);
    if (undone.length === 0) return;
    const tokens = {
      ...common,
      ancestorS: ancestor.timestampS,
      undone: undone.map(addressParam),
    };
    await clickhouse.exec(`${historyTombstonesSql} AND ${UNDONE}`, tokens);
  },
});
