import pLimit from 'p-limit';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import type { Verdict } from './assembleVerdict.ts';
import { PREVIOUS_FIELDS, repairListings } from './repairListings.ts';

/** A verdict with what its row shows beside it. */
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
  /** Age of the main pool that it was made at, seconds, see `HORIZONS_S`; 0 for the last event. */
  readonly horizonS: number;
  /** The time whose facts it rests on, Unix seconds. */
  readonly asOfS: number;
  /** Whether nothing is known that is later than what it rests on. */
  readonly isInForce: boolean;
  readonly verdict: Verdict;
  /** Who holds most of the token, and which share of all that is held. */
  readonly holders: readonly (readonly [Hex, number])[];
}

/** The part of a verdict that a new one is compared with. */
export interface StoredPrediction
  extends Pick<Verdict, 'prediction' | 'confidence' | 'riskScore'>,
    Pick<StoredVerdict, 'position'> {}

/** Where verdicts are kept. */
export interface VerdictStore {
  /**
   * Keeps verdicts in the history, and those in force where the API reads them.
   * @param news announcements of those in force, one a token at the most, each kept in the row of its verdict
   */
  insert(verdicts: readonly StoredVerdict[], news: readonly ScoreMessage[]): Promise<void>;
  /** Announcements of verdicts in force that were made since a moment (Unix milliseconds), the latest of them. */
  unpublished(chainId: number, sinceMs: number): Promise<ScoreMessage[]>;
  /** Predictions now in force. */
  predictions(chainId: number, tokens: readonly Hex[]): Promise<Map<Hex, StoredPrediction>>;
  /** Inserts tombstones for the verdicts of tokens that a reorg removed. */
  insertTombstones(chainId: number, tokens: readonly Hex[], position: number): Promise<void>;
  /** Inserts tombstones for the verdicts made for orphaned blocks, and those made at horizons that lie behind the ancestor. */
  insertHistoryTombstones(parts: {
    chainId: number;
    ancestor: BlockRef & { readonly timestampS: number };
    orphaned: readonly Hex[];
    /** Tokens that were scored at such horizons. */
    undone: readonly Hex[];
    position: number;
  }): Promise<void>;
}

const COLUMNS = [
  'chain_id',
  'token',
  'block_number',
  'block_hash',
  'name',
  'symbol',
  'prediction',
  'confidence',
  'risk_score',
  'model',
  'creator',
  'liquidity_usd',
  'created_at',
  'analyzed_at',
  'doc',
] as const;
const IN_FORCE_COLUMNS = ['holders', ...COLUMNS];
const ANNOUNCEMENT = 'announcement';
const ALL_COLUMNS = [...IN_FORCE_COLUMNS, 'version', 'is_deleted'];
const IN_FORCE_WRITTEN = [ANNOUNCEMENT, ...ALL_COLUMNS, 'seq', 'previous'];
const HISTORY_COLUMNS = ['horizon_s', 'as_of', ...COLUMNS];

const writeHistoryRow = (row: RowWriter, stored: StoredVerdict): void => {
  row.uint32(stored.horizonS);
  row.uint32(stored.asOfS);
  writeRow(row, stored);
};

const writeRowInForce = (
  row: RowWriter,
  stored: StoredVerdict,
  {
    announcement,
    state,
  }: { announcement: ScoreMessage | undefined; state: TokenState | undefined },
): void => {
  row.string(announcement ? JSON.stringify(announcement) : '');
  row.length(stored.holders.length);
  for (const [holder, share] of stored.holders) {
    row.fixed(holder);
    row.float64(share);
  }
  writeRow(row, stored);
  row.uint64(Math.max(Date.now() * MICROSECONDS_PER_MS, (state?.seq ?? 0) + 1));
  writePrevious(row, state);
};

/** The column `previous`. */
const writePrevious = (row: RowWriter, state: TokenState | undefined): void => {
  const { name, symbol, is_scam, confidence, risk_score, created_at_s, analyzed_at_ms, failed } =
    state?.is_deleted === 0 ? state : NO_VERDICT;
  row.uint8(0);
  row.uint8(state?.is_deleted === 0 ? 1 : 0);
  row.string(name);
  row.string(symbol);
  row.uint8(is_scam);
  row.float64(confidence);
  row.float64(risk_score);
  row.uint32(created_at_s);
  row.uint64(analyzed_at_ms);
  row.length(failed.length);
  for (const id of failed) row.string(id);
};

const writeRow = (row: RowWriter, stored: StoredVerdict): void => {
  const { verdict } = stored;
  const { provenance, features } = verdict.doc;
  row.uint64(stored.chainId);
  row.fixed(stored.token);
  row.uint64(provenance.block_number);
  row.fixed(provenance.block_hash as Hex);
  row.string(stored.name);
  row.string(stored.symbol);
  row.uint8(verdict.prediction === 'SCAM' ? 1 : 0);
  row.float64(verdict.confidence);
  row.float64(verdict.riskScore);
  row.string(provenance.model);
  row.fixed(stored.creator);
  row.float64(features.liquidity_usd);
  row.uint32(stored.createdAtS);
  row.uint64(stored.analyzedAtMs);
  row.string(JSON.stringify(verdict.doc));
  row.uint64(stored.position);
  row.uint8(0);
};

const MICROSECONDS_PER_MS = 1_000;

/** The last row of each token, tombstones too: what lists hold of it. */
const statesSql = `SELECT ${hexText('v.token')} AS address, v.version AS position, v.seq AS seq,
    v.is_deleted AS is_deleted, v.name AS name, v.symbol AS symbol, v.is_scam AS is_scam, v.confidence AS confidence,
    v.risk_score AS risk_score, toUnixTimestamp(v.created_at) AS created_at_s,
    toUnixTimestamp64Milli(v.analyzed_at) AS analyzed_at_ms, v.failed AS failed
  FROM token_verdicts AS v WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('tokens')}
  ORDER BY v.version DESC, v.seq DESC LIMIT 1 BY v.token`;
const stateSchema = z.object({
  address: addressSchema,
  position: z.number(),
  seq: z.number(),
  is_deleted: z.number(),
  name: z.string(),
  symbol: z.string(),
  is_scam: z.number(),
  confidence: z.number(),
  risk_score: z.number(),
  created_at_s: z.number(),
  analyzed_at_ms: z.number(),
  failed: z.array(z.string()),
});
type TokenState = z.infer<typeof stateSchema>;
const NO_VERDICT: Omit<TokenState, 'address' | 'position' | 'seq' | 'is_deleted'> = {
  name: '',
  symbol: '',
  is_scam: 0,
  confidence: 0,
  risk_score: 0,
  created_at_s: 0,
  analyzed_at_ms: 0,
  failed: [],
};

const predictionsSql = `SELECT ${hexText('v.token')} AS address, v.prediction AS prediction,
    v.confidence AS confidence, v.risk_score AS riskScore, v.version AS position
  FROM token_verdicts AS v FINAL WHERE v.chain_id = {chainId:UInt64} AND v.token IN ${inAddresses('tokens')}`;
const predictionSchema = z.object({
  address: addressSchema,
  prediction: z.enum(['SCAM', 'LEGIT']),
  confidence: z.number(),
  riskScore: z.number(),
  position: z.number(),
});

/** Announcements looked through at a time: more than are ever stored together. */
const ANNOUNCEMENTS_MAX = 1_000;
const MADE_SINCE =
  "chain_id = {chainId:UInt64} AND analyzed_at >= fromUnixTimestamp64Milli({sinceMs:Int64}) AND announcement != ''";
const announcementsSql = `SELECT v.announcement AS announcement FROM token_verdicts AS v FINAL
  WHERE ${MADE_SINCE} AND v.token IN (SELECT token FROM token_verdicts WHERE ${MADE_SINCE})
  ORDER BY v.analyzed_at DESC LIMIT ${ANNOUNCEMENTS_MAX}`;
const announcementSchema = z
  .object({ announcement: z.string() })
  .transform(({ announcement }) => scoreMessageSchema.parse(JSON.parse(announcement)));

/** Tokens that have a tombstone get it again: what follows from the first time may have been cut off. */
const tombstonesSql = `INSERT INTO token_verdicts (${ALL_COLUMNS.join(', ')}, seq, previous)
  SELECT ${IN_FORCE_COLUMNS.join(', ')}, {position:UInt64}, 1,
    greatest(toUInt64(toUnixTimestamp64Micro(now64(6))), seq + 1),
    (is_deleted, if(is_deleted = 1, previous.existed, 1),
      ${PREVIOUS_FIELDS.map((field) => `if(is_deleted = 1, previous.${field}, ${field})`).join(', ')})
  FROM token_verdicts
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
  ORDER BY version DESC, seq DESC LIMIT 1 BY token`;

const historyTombstonesSql = `INSERT INTO verdict_history (${HISTORY_COLUMNS.join(', ')}, version, is_deleted)
  SELECT ${HISTORY_COLUMNS.join(', ')}, {position:UInt64}, 1 FROM verdict_history FINAL
  WHERE chain_id = {chainId:UInt64}`;
const ORPHANED = `block_number > {ancestor:UInt64} AND lower(hex(block_hash)) IN {orphaned:Array(String)}`;
/** A block that stayed may be the last one before a horizon that is no longer passed. */
const UNDONE = `token IN ${inAddresses('undone')} AND horizon_s > 0
    AND as_of >= toDateTime({ancestorS:UInt32}, 'UTC')`;

/** Of each token the verdict in force that covers most; of equals the last. */
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

/** What lists hold of the tokens of verdicts of one chain. */
const readStates = async (
  clickhouse: Clickhouse,
  verdicts: readonly StoredVerdict[],
): Promise<Map<Hex, TokenState>> => {
  const tokens = verdicts.map(({ token }) => addressParam(token));
  const params = { chainId: verdicts[0]?.chainId ?? 0, tokens };
  const states = await clickhouse.query(statesSql, params, stateSchema);
  return new Map(states.map((state) => [state.address, state]));
};

/** Rows of `token_verdicts`; verdicts that a later one has already replaced have none. */
const encodeInForce = (
  verdicts: readonly StoredVerdict[],
  states: ReadonlyMap<Hex, TokenState>,
  news: readonly ScoreMessage[],
): Uint8Array => {
  const announcements = new Map(news.map((message) => [message.token, message]));
  const row = createRowWriter();
  for (const verdict of verdicts) {
    const state = states.get(verdict.token);
    if (state && state.position > verdict.position) continue;
    writeRowInForce(row, verdict, { announcement: announcements.get(verdict.token), state });
  }
  return row.finish();
};

/**
 * The tables `verdict_history` and `token_verdicts`. Verdicts in force change one after the other: the lists
 * and counts that follow from them are moved on from what each row says that it replaces.
 */
export const createVerdictStore = (clickhouse: Clickhouse): VerdictStore => {
  const inTurn = pLimit(1);
  /** Chains whose last change was confirmed with all that follows from it; at first nothing is known. */
  const whole = new Set<number>();
  const change = (chainId: number, write: () => Promise<void>): Promise<void> =>
    inTurn(async () => {
      if (!whole.has(chainId)) {
        await repairListings(clickhouse, chainId, [ANNOUNCEMENT, ...ALL_COLUMNS]);
      }
      whole.delete(chainId);
      await write();
      whole.add(chainId);
    });
  return {
    insert: async (verdicts, news) => {
      if (verdicts.length === 0) return;
      const history = createRowWriter();
      for (const verdict of verdicts) writeHistoryRow(history, verdict);
      // The history first: a verdict in force is always found in it.
      const columns = [...HISTORY_COLUMNS, 'version', 'is_deleted'];
      await clickhouse.insertBinary('verdict_history', columns, history.finish());
      const current = latestInForce(verdicts);
      const [first] = current;
      if (!first) return;
      await change(first.chainId, async () => {
        const states = await readStates(clickhouse, current);
        const rows = encodeInForce(current, states, news);
        if (rows.length === 0) return;
        await clickhouse.insertBinary('token_verdicts', IN_FORCE_WRITTEN, rows);
      });
    },
    unpublished: (chainId, sinceMs) =>
      clickhouse.query(announcementsSql, { chainId, sinceMs }, announcementSchema),
    predictions: async (chainId, tokens) => {
      const params = { chainId, tokens: tokens.map(addressParam) };
      const rows = await clickhouse.query(predictionsSql, params, predictionSchema);
      return new Map(rows.map(({ address, ...prediction }) => [address, prediction]));
    },
    insertTombstones: async (chainId, tokens, position) => {
      if (tokens.length === 0) return;
      const params = { chainId, tokens: tokens.map(addressParam), position };
      await change(chainId, () => clickhouse.exec(tombstonesSql, params));
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
  };
};
