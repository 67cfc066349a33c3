import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { SyncFact, TransferFact } from '../../../shared/chain/fact.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';
import { type PoolLife, poolLife } from '../../scorer/features/creatorRecord.ts';
import {
  type CreatorTokenRow,
  type FeatureStore,
  type PoolRow,
  type TokenProfileRow,
} from '../../scorer/features/featureStore.ts';
import {
  BATCH_RECIPIENTS_MIN,
  HOLDERS_KEPT_MAX,
  type HoldersRow,
  type SpreadRow,
} from '../../scorer/features/holderStore.ts';
import { FEATURE_WINDOW_S } from '../../scorer/features/poolFeatures.ts';
import { poolDays } from '../../scorer/features/poolLifeFeatures.ts';
import { FOREVER_S, type Touch } from '../../scorer/features/touchStore.ts';
import type { TokenRecord } from '../../scorer/token/confirmToken.ts';
import type { LastVerdict } from '../../scorer/verdict/lastVerdicts.ts';
import type { StoredVerdict, VerdictStore } from '../../scorer/verdict/verdictStore.ts';
import type { Database, FactRow, PoolSideRow, ReplacingTable } from './database.ts';
import type { Statement } from './fakeFactStores.ts';

/** Fields with which a later verdict is compared. */
const lastVerdictOf = ({ position, verdict }: StoredVerdict): LastVerdict => {
  const { prediction, confidence, riskScore } = verdict;
  return { position, prediction, confidence, riskScore, isDeleted: false, seq: 0 };
};

/** The verdicts of the database. The history is written first: a crash may occur in between. */
export const createFakeVerdictStore = (
  { verdictHistory, tokenVerdicts }: Database,
  run: Statement,
): VerdictStore => ({
  insert: async (verdicts, messages) => {
    if (verdicts.length === 0) return;
    const messageOf = new Map(messages.map((message) => [message.token, message]));
    const rows = verdicts.map((row) => {
      const message = row.isInForce ? messageOf.get(row.token) : undefined;
      return { ...row, message, version: row.position, isDeleted: false };
    });
    await run(() => verdictHistory.insert(rows));
    const inForce = rows.filter(({ isInForce }) => isInForce);
    if (inForce.length > 0) await run(() => tokenVerdicts.insert(inForce));
  },
  unpublished: (_chainId, sinceMs) =>
    run(() =>
      tokenVerdicts
        .final()
        .flatMap(({ analyzedAtMs, message }) =>
          message && analyzedAtMs >= sinceMs ? [message] : [],
        ),
    ),
  last: (_chainId, tokens) =>
    run(
      () =>
        new Map(
          tokenVerdicts
            .final()
            .filter(({ token }) => tokens.includes(token))
            .map((row) => [row.token, lastVerdictOf(row)]),
        ),
    ),
  insertTombstones: async (_chainId, tokens, position) => {
    if (tokens.length === 0) return;
    await run(() => {
      const gone = tokenVerdicts.final().filter(({ token }) => tokens.includes(token));
      tokenVerdicts.insert(gone.map((row) => ({ ...row, version: position, isDeleted: true })));
    });
  },
  insertHistoryTombstones: ({ ancestor, orphaned, undone, position }) =>
    run(() => {
      const gone = verdictHistory.final().filter(({ token, horizonS, asOfS, verdict }) => {
        const { block_number, block_hash } = verdict.doc.provenance;
        const isOrphaned = block_number > ancestor.number && orphaned.includes(block_hash as Hex);
        const isUndone = horizonS > 0 && asOfS >= ancestor.timestampS && undone.includes(token);
        return isOrphaned || isUndone;
      });
      verdictHistory.insert(gone.map((row) => ({ ...row, version: position, isDeleted: true })));
    }),
});

const BURN_ADDRESSES: readonly Hex[] = [ZERO_ADDRESS, '0x000000000000000000000000000000000000dead'];
const TOP_HOLDERS = 10;

type TransferRow = FactRow<TransferFact>;
type SyncRow = FactRow<SyncFact>;

const isTransfer = (row: FactRow): row is TransferRow => row.fact.kind === 'transfer';
const isSync = (row: FactRow): row is SyncRow => row.fact.kind === 'sync';
const inOrder = (a: TransferRow | SyncRow, b: TransferRow | SyncRow): number =>
  a.block.number - b.block.number || a.fact.logIndex - b.fact.logIndex;

const profileRow = (record: TokenRecord): TokenProfileRow => ({
  address: record.token,
  name: record.name,
  symbol: record.symbol,
  decimals: record.decimals ?? null,
  creator_address: record.creator,
  creator_source: record.creatorSource,
  created_block: record.createdBlock,
  created_hash: record.createdBlockHash,
  created_at_s: record.createdAtS,
  created_tx_hash: record.createdTx,
  code: record.codeHash,
});

/** How a token reached its holders, counted as in the real store. */
const spreadRow = (token: Hex, rows: readonly TransferRow[]): SpreadRow | undefined => {
  const given = rows.filter(({ fact }) => fact.value !== '0x0');
  const batches = [
    ...groupBy(given, ({ fact }) => `${fact.txHash}${fact.from}${fact.value}`).values(),
  ].map((some) => ({
    tx: some[0]?.fact.txHash ?? ZERO_HASH,
    recipients: new Set(some.map(({ fact }) => fact.to)),
  }));
  const large = batches.filter(({ recipients }) => recipients.size >= BATCH_RECIPIENTS_MIN);
  const largest = batches.toSorted(
    (a, b) => b.recipients.size - a.recipients.size || (a.tx < b.tx ? 1 : -1),
  )[0];
  if (!largest) return undefined;
  return {
    address: token,
    recipients: new Set(batches.flatMap(({ recipients }) => [...recipients])).size,
    unasked: new Set(large.flatMap(({ recipients }) => [...recipients])).size,
    batches: new Set(large.map(({ tx }) => tx)).size,
    largest_batch: largest.tx,
  };
};

const holdersRow = (
  token: Hex,
  rows: readonly TransferRow[],
  pools: ReadonlySet<Hex>,
): HoldersRow | undefined => {
  if (rows.length === 0) return undefined;
  const balances = new Map<Hex, bigint>();
  for (const { fact } of rows) {
    balances.set(fact.from, (balances.get(fact.from) ?? 0n) - BigInt(fact.value));
    balances.set(fact.to, (balances.get(fact.to) ?? 0n) + BigInt(fact.value));
  }
  const held = [...balances].filter(([of, raw]) => raw > 0n && !BURN_ADDRESSES.includes(of));
  const wallets = held.filter(([of]) => !pools.has(of)).map(([, raw]) => Number(raw));
  const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);
  return {
    address: token,
    transfers: rows.length,
    transactions: new Set(rows.map(({ fact }) => fact.txHash)).size,
    holders: held.length,
    held: sum(held.map(([, raw]) => Number(raw))),
    in_pools: sum(held.filter(([of]) => pools.has(of)).map(([, raw]) => Number(raw))),
    top_ten: sum(wallets.toSorted((a, b) => b - a).slice(0, TOP_HOLDERS)),
    largest: held
      .map(([holder, raw]): [Hex, number] => [holder, Number(raw)])
      .toSorted(([a, some], [b, more]) => more - some || (a < b ? -1 : 1))
      .slice(0, HOLDERS_KEPT_MAX),
    is_whole: true,
  };
};

const poolRow = (
  side: PoolSideRow,
  unordered: readonly SyncRow[],
  firstSyncS: number,
): PoolRow | undefined => {
  const rows = unordered.toSorted(inOrder);
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return undefined;
  const base = ({ fact }: SyncRow): bigint => BigInt(side.tokenIs0 ? fact.reserve1 : fact.reserve0);
  const amount = ({ fact }: SyncRow): bigint =>
    BigInt(side.tokenIs0 ? fact.reserve0 : fact.reserve1);
  const young = rows.filter(
    ({ block }) => block.timestampS <= first.block.timestampS + FEATURE_WINDOW_S,
  );
  let drop = { tx: first.fact.txHash, size: -Infinity };
  rows.forEach((row, i) => {
    const before = rows[i - 1];
    const size = (before ? Number(base(before)) : 0) - Number(base(row));
    if (size > drop.size) drop = { tx: row.fact.txHash, size };
  });
  return {
    address: side.token,
    pool_address: side.pool,
    base_token: side.otherToken,
    token_is_0: side.tokenIs0 ? 1 : 0,
    syncs: rows.length,
    series: young.map((row) => [
      row.block.timestampS,
      row.block.number,
      row.fact.logIndex,
      String(base(row)),
      String(amount(row)),
    ]),
    days:
      rows.length > young.length
        ? poolDays(
            rows.map((row) => ({
              timestampS: row.block.timestampS,
              blockNumber: row.block.number,
              reserveBase: Number(base(row)),
              reserveToken: Number(amount(row)),
            })),
          ).map((one) => [
            one.day,
            one.lastS,
            one.base,
            one.token,
            one.peakBase,
            one.events,
            one.bought,
            one.sold,
            one.removals,
            one.removedShare,
            one.units,
          ])
        : undefined,
    current_base: String(base(last)),
    current_token: String(amount(last)),
    peak_base: String(rows.map(base).reduce((a, b) => (a > b ? a : b))),
    last_block: last.block.number,
    largest_drop_tx: drop.tx,
    first_sync_s: firstSyncS,
  };
};

const rowsUpTo = (table: ReplacingTable<FactRow>, upTo: number): FactRow[] =>
  table.final().filter(({ block }) => block.number <= upTo);

/** The time after which a token's facts are left out, Unix seconds. */
type AsOf = (token: Hex) => number;

const readProfiles = (database: Database, tokens: readonly Hex[], upTo: number) =>
  database.tokens
    .final()
    .filter(({ token, createdBlock }) => tokens.includes(token) && createdBlock <= upTo);

/** Data from each token's own transfers, for tokens that have any. */
const ofTransfers = <R>(
  database: Database,
  tokens: readonly Hex[],
  { upTo, asOf }: { readonly upTo: number; readonly asOf: AsOf },
  rowOf: (token: Hex, transfers: readonly TransferRow[]) => R | undefined,
): Map<Hex, R> => {
  const transfers = rowsUpTo(database.facts.fact_transfers, upTo).filter(isTransfer);
  return new Map(
    tokens.flatMap((token): [Hex, R][] => {
      const row = rowOf(
        token,
        transfers.filter(
          ({ block, fact }) => fact.token === token && block.timestampS <= asOf(token),
        ),
      );
      return row ? [[token, row]] : [];
    }),
  );
};

const readPools = (
  database: Database,
  tokens: readonly Hex[],
  bases: readonly Hex[],
  upTo: number,
  asOf: AsOf,
) => {
  const syncs = rowsUpTo(database.facts.fact_pool_events, upTo).filter(isSync);
  const sides = database.pools.final().filter(({ otherToken }) => bases.includes(otherToken));
  const born = new Map(
    database.firstSyncs.final().map(({ pool, block }) => [pool, block.timestampS] as const),
  );
  return new Map(
    tokens.map((token): [Hex, PoolRow[]] => [
      token,
      sides
        .filter((side) => side.token === token)
        .flatMap((side) => {
          const own = syncs.filter(
            ({ block, fact }) => fact.pool === side.pool && block.timestampS <= asOf(token),
          );
          return poolRow(side, own, born.get(side.pool) ?? 0) ?? [];
        }),
    ]),
  );
};

const blockOf = ({ number, hash, timestampS }: FactRow['block']) => ({ number, hash, timestampS });

const readTouches = (
  database: Database,
  tokens: readonly Hex[],
  bases: readonly Hex[],
  upTo: number,
  asOf: AsOf,
): Map<Hex, Touch> => {
  const { fact_transfers, fact_ownership_transfers, fact_pool_events } = database.facts;
  const sides = database.pools.final().filter(({ otherToken }) => bases.includes(otherToken));
  const rows = [fact_transfers, fact_ownership_transfers, fact_pool_events].flatMap((table) =>
    rowsUpTo(table, upTo),
  );
  const subjectsOf = ({ fact }: FactRow): Hex[] => {
    if (fact.kind === 'ownershipTransferred') return [fact.contract];
    if (fact.kind !== 'transfer' && fact.kind !== 'sync') return [];
    const emitter = fact.kind === 'transfer' ? fact.token : fact.pool;
    const traded = sides.filter(({ pool }) => pool === emitter).map(({ token }) => token);
    return fact.kind === 'transfer' ? [emitter, ...traded] : traded;
  };
  return new Map(
    tokens.flatMap((token): [Hex, Touch][] => {
      const touching = rows.filter((row) => subjectsOf(row).includes(token));
      const own = touching
        .map(({ block }) => blockOf(block))
        .toSorted((a, b) => a.number - b.number);
      const latest = own.at(-1);
      if (!latest) return [];
      const block = own.findLast(({ timestampS }) => timestampS <= asOf(token));
      const owned = touching.filter(({ fact }) => fact.kind === 'ownershipTransferred');
      const ownershipBlock = Math.max(0, ...owned.map(({ block: { number } }) => number));
      const later = { ownershipBlock, hasFailedSales: false };
      return [[token, { latestS: latest.timestampS, block, ...later }]];
    }),
  );
};

const readCreators = (database: Database, creators: ReadonlySet<Hex>) => {
  const prediction = new Map(
    database.tokenVerdicts.final().map(({ token, verdict }) => [token, verdict.prediction]),
  );
  const made = new Map<Hex, CreatorTokenRow[]>();
  for (const { creator, token, createdAtS } of database.tokens.final()) {
    if (!creators.has(creator) || creator === ZERO_ADDRESS) continue;
    const judged = { isScam: prediction.get(token) === 'SCAM' };
    const row = { creator_address: creator, address: token, created_at_s: createdAtS, ...judged };
    made.set(creator, [...(made.get(creator) ?? []), row]);
  }
  return made;
};

/** Transfers of a pool's liquidity token in its first day. */
const lpTransfers = (pool: Hex, transfers: readonly TransferRow[]): PoolRow['lp_transfers'] => {
  const rows = transfers.filter(({ fact }) => fact.token === pool).toSorted(inOrder);
  const firstAtS = Math.min(...rows.map(({ block }) => block.timestampS));
  const young = rows.filter(({ block }) => block.timestampS <= firstAtS + FEATURE_WINDOW_S);
  if (young.length === 0) return undefined;
  return young.map(({ block, fact }) => {
    const { logIndex, from, to, value } = fact;
    return [block.timestampS, block.number, logIndex, from, to, String(BigInt(value))];
  });
};

/** Lives of the pools of one token. */
const livesOf = (
  token: Hex,
  sides: readonly PoolSideRow[],
  syncs: readonly SyncRow[],
): PoolLife[] =>
  sides
    .filter((side) => side.token === token)
    .flatMap((side) => {
      const own = syncs.filter(({ fact }) => fact.pool === side.pool).toSorted(inOrder);
      const reserves = own.map(({ block, fact }) => ({
        timestampS: block.timestampS,
        reserveBase: Number(side.tokenIs0 ? fact.reserve1 : fact.reserve0),
      }));
      return poolLife(reserves) ?? [];
    });

/** Adds the pools' other data to their Syncs. */
const addHistories = (
  database: Database,
  {
    pools,
    profiles,
    made,
    bases,
    upTo,
  }: {
    readonly pools: ReadonlyMap<Hex, readonly PoolRow[]>;
    readonly profiles: readonly TokenRecord[];
    readonly made: ReadonlyMap<Hex, readonly CreatorTokenRow[]>;
    readonly bases: readonly Hex[];
    readonly upTo: number;
  },
): Map<Hex, PoolRow[]> => {
  const transfers = rowsUpTo(database.facts.fact_transfers, upTo).filter(isTransfer);
  const syncs = rowsUpTo(database.facts.fact_pool_events, upTo).filter(isSync);
  const sides = database.pools.final().filter(({ otherToken }) => bases.includes(otherToken));
  const creators = new Map(profiles.map(({ token, creator }) => [token, creator]));
  const poolsOf = (token: Hex): number => pools.get(token)?.length ?? 0;
  const withHistory = (row: PoolRow): PoolRow => {
    const creator = creators.get(row.address);
    const lp_transfers = lpTransfers(row.pool_address, transfers);
    if (!creator || creator === ZERO_ADDRESS) return { ...row, lp_transfers };
    const tokens = (made.get(creator) ?? []).map(({ address }) => address);
    const hasPast = tokens.length > 1 || tokens.some((token) => poolsOf(token) > 1);
    const lives = hasPast ? tokens.flatMap((token) => livesOf(token, sides, syncs)) : [];
    return { ...row, lp_transfers, creator, creator_pools: lives };
  };
  return new Map([...pools].map(([token, rows]) => [token, rows.map(withHistory)]));
};

/** Features read from the database, one statement per subject. */
export const createFakeFeatureStore = (database: Database, run: Statement): FeatureStore => ({
  read: async (_chainId, tokens, bases, upTo, asOfS) => {
    const asOf: AsOf = (token) => asOfS?.get(token) ?? FOREVER_S;
    const profiles = await run(() => readProfiles(database, tokens, upTo));
    const confirmed = profiles.map(({ token }) => token);
    const [holders, pools, touches] = await Promise.all([
      run(() => {
        const sides = groupBy(database.pools.final(), ({ token }) => token);
        return ofTransfers(database, confirmed, { upTo, asOf }, (token, own) =>
          holdersRow(token, own, new Set(sides.get(token)?.map(({ pool }) => pool))),
        );
      }),
      run(() => readPools(database, confirmed, bases, upTo, asOf)),
      run(() => readTouches(database, confirmed, bases, upTo, asOf)),
    ]);
    const creators = new Set(profiles.map(({ creator }) => creator));
    const creatorTokens = await run(() => readCreators(database, creators));
    const unpooled = confirmed.filter((token) => !pools.get(token)?.length);
    const spread = await run(() => ofTransfers(database, unpooled, { upTo, asOf }, spreadRow));
    return {
      profiles: new Map(profiles.map((record) => [record.token, profileRow(record)])),
      holders,
      pools: addHistories(database, { pools, profiles, made: creatorTokens, bases, upTo }),
      touches,
      spread,
      creatorTokens,
      lives: new Map(),
      transfers: new Map(),
    };
  },
});
