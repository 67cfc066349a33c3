import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import {
  type Fact,
  type FailedSaleFact,
  isOtherMarket,
  LOCK_ACTS,
  type LockFact,
  type MarketFact,
  type NativeTransferFact,
  type OwnershipTransferredFact,
  type PoolCreatedFact,
  type PoolTerms,
  type Sides,
  type TickDepth,
  type TickRange,
  type TransferFact,
} from '../../../shared/chain/fact.ts';
import { PROTOCOLS } from '../../../shared/chain/protocol.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { type ColumnWriters, createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { followTouches } from '../features/touchStore.ts';
import { followTransfers } from '../features/transferStore.ts';
import { marketRows } from '../pool/poolStore.ts';
import { type CacheUpdate, NO_CACHE, type ReadCache, type Rows } from '../readCache.ts';

/** A fact as a row of its table, with its block. */
interface FactRow<F> {
  readonly chainId: number;
  /** See `factVersion`. */
  readonly version: number;
  readonly block: Omit<BlockFacts, 'facts'>;
  readonly fact: F;
}
type Columns<F> = ColumnWriters<FactRow<F>>;

/** Chain, subject, and position of a transaction: the first columns of every row. */
const transactionColumns = <F extends { txHash: Hex; txIndex: number }>(
  subject: string,
  subjectOf: (fact: F) => Hex,
): Columns<F> => ({
  chain_id: (row, { chainId }) => row.uint64(chainId),
  [subject]: (row, { fact }) => row.fixed(subjectOf(fact)),
  block_number: (row, { block }) => row.uint64(block.number),
  block_hash: (row, { block }) => row.fixed(block.hash),
  timestamp: (row, { block }) => row.uint32(block.timestampS),
  tx_hash: (row, { fact }) => row.fixed(fact.txHash),
  tx_index: (row, { fact }) => row.uint32(fact.txIndex),
});

/** The same for a row that comes from a log. */
const logColumns = <F extends { logIndex: number; txHash: Hex; txIndex: number }>(
  subject: string,
  subjectOf: (fact: F) => Hex,
): Columns<F> => ({
  ...transactionColumns(subject, subjectOf),
  log_index: (row, { fact }) => row.uint32(fact.logIndex),
});

const TRANSFER: Columns<TransferFact> = {
  ...logColumns('token', ({ token }) => token),
  from_address: (row, { fact }) => row.fixed(fact.from),
  to_address: (row, { fact }) => row.fixed(fact.to),
  value: (row, { fact }) => row.uint256(fact.value),
};

const NATIVE_TRANSFER: Columns<NativeTransferFact> = {
  ...transactionColumns('to_address', ({ to }) => to),
  from_address: (row, { fact }) => row.fixed(fact.from),
  value: (row, { fact }) => row.uint256(fact.value),
};

const FAILED_SALE: Columns<FailedSaleFact> = {
  ...transactionColumns('token', ({ token }) => token),
  seller: (row, { fact }) => row.fixed(fact.seller),
  router: (row, { fact }) => row.fixed(fact.router),
};

const OWNERSHIP_TRANSFER: Columns<OwnershipTransferredFact> = {
  ...logColumns('contract', ({ contract }) => contract),
  previous_owner: (row, { fact }) => row.fixed(fact.previousOwner),
  new_owner: (row, { fact }) => row.fixed(fact.newOwner),
};

/** Some locks last longer than a double can count seconds exactly. */
const secondsOf = (time: Hex): number => Math.min(Number(BigInt(time)), Number.MAX_SAFE_INTEGER);

const LOCK: Columns<LockFact> = {
  ...logColumns('asset', ({ asset }) => asset),
  position: (row, { fact }) => row.uint256(fact.position),
  act: (row, { fact }) => row.uint8(LOCK_ACTS.indexOf(fact.act) + 1),
  locker: (row, { fact }) => row.fixed(fact.locker),
  lock_id: (row, { fact }) => row.uint256(fact.lockId),
  owner: (row, { fact }) => row.fixed(fact.owner),
  amount: (row, { fact }) => row.uint256(fact.amount),
  unlock_at: (row, { fact }) => row.uint64(secondsOf(fact.unlockAt)),
  market: (row, { fact }) => row.fixed(fact.market ?? ZERO_ADDRESS),
};

const NONE: Hex = '0x0';
const NO_TERMS: PoolTerms = { fee: 0, tickSpacing: 0, stable: false, hooks: ZERO_ADDRESS };

const MARKET: Columns<PoolCreatedFact> = {
  ...logColumns('market', ({ pool }) => marketId(pool)),
  protocol: (row, { fact }) => row.uint8(PROTOCOLS.indexOf(fact.protocol) + 1),
  factory: (row, { fact }) => row.fixed(fact.factory),
  token0: (row, { fact }) => row.fixed(fact.token0),
  token1: (row, { fact }) => row.fixed(fact.token1),
  fee: (row, { fact: { terms = NO_TERMS } }) => row.uint32(terms.fee),
  tick_spacing: (row, { fact: { terms = NO_TERMS } }) => row.int32(terms.tickSpacing),
  stable: (row, { fact: { terms = NO_TERMS } }) => row.uint8(terms.stable ? 1 : 0),
  hooks: (row, { fact: { terms = NO_TERMS } }) => row.fixed(terms.hooks),
  sqrt_price_x96: (row, { fact }) => row.uint256(fact.price?.sqrtPriceX96 ?? NONE),
  tick: (row, { fact }) => row.int32(fact.price?.tick ?? 0),
};

type MarketEventFact = Exclude<MarketFact, PoolCreatedFact>;

/** Values of the Enum8 columns `kind` of both tables of events. */
const KINDS: Readonly<Record<MarketEventFact['kind'], number>> = {
  sync: 1,
  swap: 2,
  mint: 3,
  burn: 4,
  collect: 5,
  priced: 6,
  graduated: 7,
};

/** Amounts in and out of both tokens, and the reserves if the event has them. */
type Amounts = readonly [Hex, Hex, Hex, Hex, Hex, Hex];

const amountsOf = (fact: MarketEventFact): Amounts => {
  switch (fact.kind) {
    case 'priced':
      return [NONE, NONE, NONE, NONE, NONE, NONE];
    case 'sync':
      return [NONE, NONE, NONE, NONE, fact.reserve0, fact.reserve1];
    case 'swap': {
      const { amount0In, amount1In, amount0Out, amount1Out, after } = fact;
      const { reserve0, reserve1 } = after && 'reserve0' in after ? after : NO_RESERVES;
      return [amount0In, amount1In, amount0Out, amount1Out, reserve0, reserve1];
    }
    case 'mint':
      return [fact.amount0, fact.amount1, NONE, NONE, NONE, NONE];
    case 'burn':
    case 'collect':
    case 'graduated':
      return [NONE, NONE, fact.amount0, fact.amount1, NONE, NONE];
  }
};
const NO_RESERVES = { reserve0: NONE, reserve1: NONE };

/** Columns of events of all protocols. */
const EVENT: Columns<MarketEventFact> = {
  kind: (row, { fact }) => row.uint8(KINDS[fact.kind]),
  sender: (row, { fact }) => row.fixed('sender' in fact ? fact.sender : ZERO_ADDRESS),
  recipient: (row, { fact }) => row.fixed('to' in fact ? fact.to : ZERO_ADDRESS),
  amount0_in: (row, { fact }) => row.uint256(amountsOf(fact)[0]),
  amount1_in: (row, { fact }) => row.uint256(amountsOf(fact)[1]),
  amount0_out: (row, { fact }) => row.uint256(amountsOf(fact)[2]),
  amount1_out: (row, { fact }) => row.uint256(amountsOf(fact)[3]),
  reserve0: (row, { fact }) => row.uint256(amountsOf(fact)[4]),
  reserve1: (row, { fact }) => row.uint256(amountsOf(fact)[5]),
};

/** The two tokens if the log names them. */
const sidesOf = (fact: MarketEventFact): Sides | undefined => {
  if (fact.kind === 'swap') return fact.sides;
  return fact.kind === 'graduated' ? fact : undefined;
};

/** Price and active liquidity after the event, if its log has them. */
const depthOf = (fact: MarketEventFact): Partial<TickDepth> => {
  if (fact.kind === 'priced') return fact;
  return fact.kind === 'swap' && fact.after && 'tick' in fact.after ? fact.after : {};
};

const NO_RANGE: TickRange = {
  owner: ZERO_ADDRESS,
  tickLower: 0,
  tickUpper: 0,
  liquidity: NONE,
  salt: ZERO_HASH,
};

const rangeOf = (fact: MarketEventFact): TickRange =>
  ('range' in fact ? fact.range : undefined) ?? NO_RANGE;

const MARKET_EVENT: Columns<MarketEventFact> = {
  ...logColumns('market', ({ pool }) => marketId(pool)),
  protocol: (row, { fact }) => row.uint8(PROTOCOLS.indexOf(fact.protocol) + 1),
  manager: (row, { fact }) =>
    row.fixed(('manager' in fact ? fact.manager : undefined) ?? ZERO_ADDRESS),
  ...EVENT,
  token0: (row, { fact }) => row.fixed(sidesOf(fact)?.token0 ?? ZERO_ADDRESS),
  token1: (row, { fact }) => row.fixed(sidesOf(fact)?.token1 ?? ZERO_ADDRESS),
  sqrt_price_x96: (row, { fact }) => row.uint256(depthOf(fact).sqrtPriceX96 ?? NONE),
  liquidity: (row, { fact }) => row.uint256(depthOf(fact).liquidity ?? NONE),
  tick: (row, { fact }) => row.int32(depthOf(fact).tick ?? 0),
  position_owner: (row, { fact }) => row.fixed(rangeOf(fact).owner),
  position_salt: (row, { fact }) => row.fixed(rangeOf(fact).salt),
  tick_lower: (row, { fact }) => row.int32(rangeOf(fact).tickLower),
  tick_upper: (row, { fact }) => row.int32(rangeOf(fact).tickUpper),
  position_liquidity: (row, { fact }) => row.uint256(rangeOf(fact).liquidity),
};

/** Columns of the tables of facts, without `version` and `is_deleted`. */
const COLUMNS = {
  fact_transfers: TRANSFER,
  fact_native_transfers: NATIVE_TRANSFER,
  fact_pool_events: { ...logColumns<MarketEventFact>('pool', ({ pool }) => pool), ...EVENT },
  fact_markets: MARKET,
  fact_market_events: MARKET_EVENT,
  fact_ownership_transfers: OWNERSHIP_TRANSFER,
  fact_locks: LOCK,
  fact_failed_sales: FAILED_SALE,
};
export type FactTable = keyof typeof COLUMNS;
export const FACT_TABLES = Object.keys(COLUMNS) as FactTable[];

/** The table of a fact; a creation only makes its contract a candidate for a token. */
export const tableOf = (fact: Fact): FactTable | undefined => {
  switch (fact.kind) {
    case 'transfer':
      return 'fact_transfers';
    case 'nativeTransfer':
      return 'fact_native_transfers';
    case 'ownershipTransferred':
      return 'fact_ownership_transfers';
    case 'lock':
      return 'fact_locks';
    case 'failedSale':
      return 'fact_failed_sales';
    case 'creation':
      return undefined;
    case 'poolCreated':
      return 'fact_markets';
    case 'priced':
    case 'sync':
    case 'swap':
    case 'mint':
    case 'burn':
    case 'collect':
    case 'graduated':
      return isOtherMarket(fact) ? 'fact_market_events' : 'fact_pool_events';
  }
};

/** How facts become rows: `tableOf` assigns each fact to the columns for it. */
const tableWriter = (table: FactTable) =>
  createTableWriter<FactRow<Fact>>(table, {
    ...(COLUMNS[table] as Columns<never>),
    version: (row, { version }) => row.uint64(version),
    is_deleted: (row) => row.uint8(0),
  });
const WRITERS = Object.fromEntries(
  FACT_TABLES.map((table) => [table, tableWriter(table)]),
) as Record<FactTable, ReturnType<typeof tableWriter>>;

/** Rows of all events by table. */
const rowsOf = (events: readonly BlocksEvent[]): Map<FactTable, FactRow<Fact>[]> => {
  const rows = new Map<FactTable, FactRow<Fact>[]>();
  for (const { chainId, epoch, blocks } of events) {
    const version = factVersion(epoch);
    for (const block of blocks) {
      for (const fact of block.facts) {
        const table = tableOf(fact);
        if (!table) continue;
        const row = { chainId, version, block, fact };
        const list = rows.get(table);
        if (list) list.push(row);
        else rows.set(table, [row]);
      }
    }
  }
  return rows;
};

const tombstoneTable = (name: FactTable): TombstoneTable => ({
  name,
  columns: Object.keys(COLUMNS[name]),
  blockNumber: 'block_number',
  blockHash: 'block_hash',
});

/** Rows on which cached values depend. */
const changedBy = (fact: Fact): Rows[] => {
  if (fact.kind === 'transfer') return [`transfers ${fact.token}`];
  if (fact.kind === 'nativeTransfer') return [`funds ${fact.to}`];
  if (fact.kind === 'failedSale') return [`failures ${fact.token}`];
  if (fact.kind === 'ownershipTransferred') return [`ownership ${fact.contract}`];
  if (fact.kind === 'lock') return [`locks ${fact.asset}`];
  if (fact.kind === 'poolCreated') return marketRows(fact);
  return 'pool' in fact ? [`events ${fact.pool}`] : [];
};

const updatesOf = (block: BlockFacts): CacheUpdate[] => [
  ...followTouches(block),
  ...followTransfers(block),
];

/** Updates the cache after facts were stored. */
const noteChanges = (cache: ReadCache, events: readonly BlocksEvent[]): void => {
  for (const { from, to, last, chunk, blocks } of events) {
    const rows = new Set(blocks.flatMap((block) => block.facts.flatMap(changedBy)));
    // Near the head, where tokens are scored block by block, a block is an event of its own.
    const [block] = from === to.number && last && chunk === 0 ? blocks : [];
    cache.changed(rows, to.number, block ? updatesOf(block) : []);
  }
};

/** The fact tables in ClickHouse. Tombstones are not reported to `cache`: a reorg clears it. */
export const createFactStore = (clickhouse: Clickhouse, cache: ReadCache = NO_CACHE) => ({
  /** Inserts all facts of the events. Idempotent. */
  insert: async (events: readonly BlocksEvent[]): Promise<void> => {
    await cache.write(async () => {
      await Promise.all(
        [...rowsOf(events)].map(([table, rows]) => WRITERS[table](clickhouse, rows)),
      );
    });
    noteChanges(cache, events);
  },
  /** Inserts tombstones for all facts of the orphaned blocks. Idempotent. */
  insertTombstones: async (reorg: ReorgEvent): Promise<void> => {
    await Promise.all(
      FACT_TABLES.map((table) => insertTombstones(clickhouse, tombstoneTable(table), reorg)),
    );
  },
});
/** Storage of facts. */
export type FactStore = ReturnType<typeof createFactStore>;
