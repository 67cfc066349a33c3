import pLimit from 'p-limit';
import { z } from 'zod';
import { addressParam, inAddresses } from '../../../shared/chain/addressSet.ts';
import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { type ScoreMessage, scoreMessageSchema } from '../../../shared/messages/scoreMessage.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';
import type { Verdict } from './assembleVerdict.ts';
import { repairListings } from './repairListings.ts';

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
  announcements(chainId: number, sinceMs: number): Promise<ScoreMessage[]>;
  /** Predictions now in force. */
  predictions(chainId: number, tokens: readonly Hex[]): Promise<Map<Hex, StoredPrediction>>;
  /** Buries the verdicts of tokens that a reorg removed. */
  bury(chainId: number, tokens: readonly Hex[], position: number): Promise<void>;
  /** Buries the verdicts made for orphaned blocks, and those made at horizons that lie behind the ancestor. */
  buryHistory(parts: {
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
const HISTORY_COLUMNS = ['horizon_s', 'as_of', ...COLUMNS];

const writeHistoryRow = (row: RowWriter, stored: StoredVerdict): void => {
  row.uint32(stored.horizonS);
  row.uint32(stored.asOfS);
  writeRow(row, stored);
};

const writeRowInForce = (
  row: RowWriter,
  stored: StoredVerdict,
  announcement: ScoreMessage | undefined,
): void => {
  row.string(announcement ? JSON.stringify(announcement) : '');
  row.length(stored.holders.length);
  for (const [holder, share] of stored.holders) {
    row.fixed(holder);
    row.float64(share);
  }
  writeRow(row, stored);
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

const predictionsSql = `SELECT concat('0x', lower(hex(v.token))) AS address, v.prediction AS prediction,
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

/** Those that are buried already are buried again: what follows from the first time may have been cut off. */
const burySql = `INSERT INTO token_verdicts (${ALL_COLUMNS.join(', ')})
  SELECT ${IN_FORCE_COLUMNS.join(', ')}, {position:UInt64}, 1 FROM token_verdicts
  WHERE chain_id = {chainId:UInt64} AND token IN ${inAddresses('tokens')}
  ORDER BY version DESC LIMIT 1 BY token`;

const buryHistorySql = `INSERT INTO verdict_history (${HISTORY_COLUMNS.join(', ')}, version, is_deleted)
  SELECT ${HISTORY_COLUMNS.join(', ')}, {position:UInt64}, 1 FROM verdict_history FINAL
  WHERE chain_id = {chainId:UInt64}`;
const ORPHANED = `block_number > {ancestor:UInt64} AND lower(hex(block_hash)) IN {orphaned:Array(String)}`;
/** A block that stayed may be the last one before a horizon that is no longer passed. */
const UNDONE = `token IN ${inAddresses('undone')} AND horizon_s > 0
    AND as_of >= toDateTime({ancestorS:UInt32}, 'UTC')`;

/**
 * The tables `verdict_history` and `token_verdicts`. Verdicts in force change one after the other: the lists
 * and counts that follow from them are moved on from the state before.
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
      const announcements = new Map(news.map((message) => [message.token, message]));
      const history = createRowWriter();
      const inForce = createRowWriter();
      for (const verdict of verdicts) {
        writeHistoryRow(history, verdict);
        if (!verdict.isInForce) continue;
        writeRowInForce(inForce, verdict, announcements.get(verdict.token));
      }
      // The history first: a verdict in force is always found in it.
      const columns = [...HISTORY_COLUMNS, 'version', 'is_deleted'];
      await clickhouse.insertBinary('verdict_history', columns, history.finish());
      const current = verdicts.find(({ isInForce }) => isInForce);
      if (!current) return;
      const rows = inForce.finish();
      await change(current.chainId, () =>
        clickhouse.insertBinary('token_verdicts', [ANNOUNCEMENT, ...ALL_COLUMNS], rows),
      );
    },
    announcements: (chainId, sinceMs) =>
      clickhouse.query(announcementsSql, { chainId, sinceMs }, announcementSchema),
    predictions: async (chainId, tokens) => {
      const params = { chainId, tokens: tokens.map(addressParam) };
      const rows = await clickhouse.query(predictionsSql, params, predictionSchema);
      return new Map(rows.map(({ address, ...prediction }) => [address, prediction]));
    },
    bury: async (chainId, tokens, position) => {
      if (tokens.length === 0) return;
      const params = { chainId, tokens: tokens.map(addressParam), position };
      await change(chainId, () => clickhouse.exec(burySql, params));
    },
    buryHistory: async ({ chainId, ancestor, orphaned, undone, position }) => {
      const common = { chainId, position };
      const hashes = orphaned.map((hash) => hash.slice(2));
      const blocks = { ...common, ancestor: ancestor.number, orphaned: hashes };
      await clickhouse.exec(`${buryHistorySql} AND ${ORPHANED}`, blocks);
      if (undone.length === 0) return;
      const tokens = {
        ...common,
        ancestorS: ancestor.timestampS,
        undone: undone.map(addressParam),
      };
      await clickhouse.exec(`${buryHistorySql} AND ${UNDONE}`, tokens);
    },
  };
};
