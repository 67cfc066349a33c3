import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import {
  type Fact,
  isOtherMarket,
  LOCK_ACTS,
  type LockFact,
  type MarketFact,
  type NativeTransferFact,
  type OwnershipTransferredFact,
  type PoolCreatedFact,
  type PoolTerms,
  PROTOCOLS,
  type Protocol,
  type Sides,
  type TickDepth,
  type TickRange,
  type TransferFact,
} from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { marketId } from '../../../shared/market/marketId.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import {
  insertTombstones,
  type TombstoneTable,
} from '../../../shared/platform/insertTombstones.ts';
import { createRowWriter, type RowWriter } from '../../../shared/platform/rowWriter.ts';

/** Where facts are kept. */
export interface FactStore {
  /** Inserts all facts of the events. Doing it again changes nothing. */
  insert(events: readonly BlocksEvent[]): Promise<void>;
  /** Inserts tombstones for all facts of the orphaned blocks. Doing it again changes nothing. */
  insertTombstones(reorg: ReorgEvent): Promise<void>;
}

/** Rows of all events, one writer for each table that gets any. */
const encode = (events: readonly BlocksEvent[]): Map<FactTable, RowWriter> => {
  const writers = new Map<FactTable, RowWriter>();
  for (const event of events) {
    for (const block of event.blocks) {
      const context: RowContext = {
        chainId: event.chainId,
        version: factVersion(event.epoch),
        block,
      };
      for (const fact of block.facts) {
        const table = tableOf(fact);
        if (!table) continue;
        let writer = writers.get(table);
        if (!writer) {
          writer = createRowWriter();
          writers.set(table, writer);
        }
        writeFactRow(writer, context, fact);
      }
    }
  }
  return writers;
};

const tombstoneTable = (name: FactTable): TombstoneTable => ({
  name,
  columns: FACT_COLUMNS[name].filter((c) => c !== 'version' && c !== 'is_deleted'),
  blockNumber: 'block_number',
  blockHash: 'block_hash',
});

/** The fact tables in ClickHouse. */
export const createFactStore = (clickhouse: Clickhouse): FactStore => ({
  insert: async (events) => {
    const writers = encode(events);
    await Promise.all(
      [...writers].map(([table, writer]) =>
        clickhouse.insertBinary(table, FACT_COLUMNS[table], writer.finish()),
      ),
    );
  },
  insertTombstones: async (reorg) => {
    await Promise.all(
      FACT_TABLES.map((table) => insertTombstones(clickhouse, tombstoneTable(table), reorg)),
    );
  },
});

/** Tables that hold facts, with the columns in the order their rows are written. */
export const FACT_COLUMNS = {
  fact_transfers: [
    'chain_id',
    'token',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'from_address',
    'to_address',
    'value',
    'version',
    'is_deleted',
  ],
  fact_native_transfers: [
    'chain_id',
    'to_address',
    'block_number',
    'block_hash',
    'tx_index',
    'timestamp',
    'tx_hash',
    'from_address',
    'value',
    'version',
    'is_deleted',
  ],
  fact_pools: [
    'chain_id',
    'pool',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'factory',
    'token0',
    'token1',
    'version',
    'is_deleted',
  ],
  fact_pool_events: [
    'chain_id',
    'pool',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'kind',
    'sender',
    'recipient',
    'amount0_in',
    'amount1_in',
    'amount0_out',
    'amount1_out',
    'reserve0',
    'reserve1',
    'version',
    'is_deleted',
  ],
  fact_markets: [
    'chain_id',
    'market',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'protocol',
    'factory',
    'token0',
    'token1',
    'fee',
    'tick_spacing',
    'stable',
    'hooks',
    'sqrt_price_x96',
    'tick',
    'version',
    'is_deleted',
  ],
  fact_market_events: [
    'chain_id',
    'market',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'protocol',
    'manager',
    'kind',
    'sender',
    'recipient',
    'amount0_in',
    'amount1_in',
    'amount0_out',
    'amount1_out',
    'reserve0',
    'reserve1',
    'token0',
    'token1',
    'sqrt_price_x96',
    'liquidity',
    'tick',
    'position_owner',
    'position_salt',
    'tick_lower',
    'tick_upper',
    'position_liquidity',
    'version',
    'is_deleted',
  ],
  fact_ownership_transfers: [
    'chain_id',
    'contract',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'previous_owner',
    'new_owner',
    'version',
    'is_deleted',
  ],
  fact_locks: [
    'chain_id',
    'asset',
    'block_number',
    'block_hash',
    'log_index',
    'timestamp',
    'tx_hash',
    'tx_index',
    'position',
    'act',
    'locker',
    'lock_id',
    'owner',
    'amount',
    'unlock_at',
    'market',
    'version',
    'is_deleted',
  ],
} as const;
export type FactTable = keyof typeof FACT_COLUMNS;
export const FACT_TABLES = Object.keys(FACT_COLUMNS) as FactTable[];

/** The table a fact goes to; a creation only makes its contract a candidate for a token. */
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
    case 'creation':
      return undefined;
    case 'poolCreated':
      return isOtherMarket(fact) ? 'fact_markets' : 'fact_pools';
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

/** What all rows of one block share. */
export interface RowContext {
  readonly chainId: number;
  /** See `factVersion`. */
  readonly version: number;
  readonly block: Omit<BlockFacts, 'facts'>;
}

/** Writes one fact as a row of its table, in the order of `FACT_COLUMNS`. */
export const writeFactRow = (row: RowWriter, context: RowContext, fact: Fact): void => {
  switch (fact.kind) {
    case 'transfer':
      writeTransfer(row, context, fact);
      break;
    case 'nativeTransfer':
      writeNativeTransfer(row, context, fact);
      break;
    case 'poolCreated':
      if (isOtherMarket(fact)) writeMarket(row, context, fact);
      else writePool(row, context, fact);
      break;
    case 'priced':
    case 'sync':
    case 'swap':
    case 'mint':
    case 'burn':
    case 'collect':
    case 'graduated':
      if (isOtherMarket(fact)) writeMarketEvent(row, context, fact);
      else writePoolEvent(row, context, fact);
      break;
    case 'ownershipTransferred':
      writeOwnershipTransfer(row, context, fact);
      break;
    case 'lock':
      writeLock(row, context, fact);
      break;
    case 'creation':
      return;
  }
  row.uint64(context.version);
  row.uint8(0);
};

/** Chain, subject, and the place of a log: the beginning of every row that stems from one. */
const writeLogPlace = (
  row: RowWriter,
  { chainId, block }: RowContext,
  subject: Hex,
  fact: { logIndex: number; txHash: Hex; txIndex: number },
): void => {
  row.uint64(chainId);
  row.fixed(subject);
  row.uint64(block.number);
  row.fixed(block.hash);
  row.uint32(fact.logIndex);
  row.uint32(block.timestampS);
  row.fixed(fact.txHash);
  row.uint32(fact.txIndex);
};

const writeTransfer = (row: RowWriter, context: RowContext, fact: TransferFact): void => {
  writeLogPlace(row, context, fact.token, fact);
  row.fixed(fact.from);
  row.fixed(fact.to);
  row.uint256(fact.value);
};

const writeNativeTransfer = (
  row: RowWriter,
  { chainId, block }: RowContext,
  fact: NativeTransferFact,
): void => {
  row.uint64(chainId);
  row.fixed(fact.to);
  row.uint64(block.number);
  row.fixed(block.hash);
  row.uint32(fact.txIndex);
  row.uint32(block.timestampS);
  row.fixed(fact.txHash);
  row.fixed(fact.from);
  row.uint256(fact.value);
};

const writePool = (row: RowWriter, context: RowContext, fact: PoolCreatedFact): void => {
  writeLogPlace(row, context, fact.pool, fact);
  row.fixed(fact.factory);
  row.fixed(fact.token0);
  row.fixed(fact.token1);
};

const writeOwnershipTransfer = (
  row: RowWriter,
  context: RowContext,
  fact: OwnershipTransferredFact,
): void => {
  writeLogPlace(row, context, fact.contract, fact);
  row.fixed(fact.previousOwner);
  row.fixed(fact.newOwner);
};

/** Some lock for longer than a double counts seconds exactly. */
const secondsOf = (time: Hex): number => Math.min(Number(BigInt(time)), Number.MAX_SAFE_INTEGER);

const writeLock = (row: RowWriter, context: RowContext, fact: LockFact): void => {
  writeLogPlace(row, context, fact.asset, fact);
  row.uint256(fact.position);
  row.uint8(LOCK_ACTS.indexOf(fact.act) + 1);
  row.fixed(fact.locker);
  row.uint256(fact.lockId);
  row.fixed(fact.owner);
  row.uint256(fact.amount);
  row.uint64(secondsOf(fact.unlockAt));
  row.fixed(fact.market ?? ZERO_ADDRESS);
};

const protocolNumber = (protocol: Protocol): number => PROTOCOLS.indexOf(protocol) + 1;

const NO_TERMS: PoolTerms = { fee: 0, tickSpacing: 0, stable: false, hooks: ZERO_ADDRESS };

const writeMarket = (row: RowWriter, context: RowContext, fact: PoolCreatedFact): void => {
  const { fee, tickSpacing, stable, hooks } = fact.terms ?? NO_TERMS;
  writeLogPlace(row, context, marketId(fact.pool), fact);
  row.uint8(protocolNumber(fact.protocol));
  row.fixed(fact.factory);
  row.fixed(fact.token0);
  row.fixed(fact.token1);
  row.uint32(fee);
  row.int32(tickSpacing);
  row.uint8(stable ? 1 : 0);
  row.fixed(hooks);
  row.uint256(fact.price?.sqrtPriceX96 ?? NONE);
  row.int32(fact.price?.tick ?? 0);
};

type MarketEventFact = Exclude<MarketFact, PoolCreatedFact>;

const NONE: Hex = '0x0';
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

/** amount0_in, amount1_in, amount0_out, amount1_out, reserve0, reserve1. */
const amountsOf = (fact: MarketEventFact): readonly Hex[] => {
  switch (fact.kind) {
    case 'priced':
      return [NONE, NONE, NONE, NONE, NONE, NONE];
    case 'sync':
      return [NONE, NONE, NONE, NONE, fact.reserve0, fact.reserve1];
    case 'swap': {
      const { amount0In, amount1In, amount0Out, amount1Out, after } = fact;
      const held = after && 'reserve0' in after ? [after.reserve0, after.reserve1] : [NONE, NONE];
      return [amount0In, amount1In, amount0Out, amount1Out, ...held];
    }
    case 'mint':
      return [fact.amount0, fact.amount1, NONE, NONE, NONE, NONE];
    case 'burn':
    case 'collect':
    case 'graduated':
      return [NONE, NONE, fact.amount0, fact.amount1, NONE, NONE];
  }
};

/** Kind, sender, recipient and amounts: what events of all protocols have. */
const writeEvent = (row: RowWriter, fact: MarketEventFact): void => {
  row.uint8(KINDS[fact.kind]);
  row.fixed('sender' in fact ? fact.sender : ZERO_ADDRESS);
  row.fixed('to' in fact ? fact.to : ZERO_ADDRESS);
  for (const amount of amountsOf(fact)) row.uint256(amount);
};

const writePoolEvent = (row: RowWriter, context: RowContext, fact: MarketEventFact): void => {
  writeLogPlace(row, context, fact.pool, fact);
  writeEvent(row, fact);
};

/** The two tokens where the log names them. */
const sidesOf = (fact: MarketEventFact): Sides | undefined => {
  if (fact.kind === 'swap') return fact.sides;
  return fact.kind === 'graduated' ? fact : undefined;
};

/** Price and liquidity in range after the event, where its log has them. */
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

const writeMarketEvent = (row: RowWriter, context: RowContext, fact: MarketEventFact): void => {
  const sides = sidesOf(fact);
  const depth = depthOf(fact);
  const range = ('range' in fact ? fact.range : undefined) ?? NO_RANGE;
  writeLogPlace(row, context, marketId(fact.pool), fact);
  row.uint8(protocolNumber(fact.protocol));
  row.fixed(('manager' in fact ? fact.manager : undefined) ?? ZERO_ADDRESS);
  writeEvent(row, fact);
  row.fixed(sides?.token0 ?? ZERO_ADDRESS);
  row.fixed(sides?.token1 ?? ZERO_ADDRESS);
  row.uint256(depth.sqrtPriceX96 ?? NONE);
  row.uint256(depth.liquidity ?? NONE);
  row.int32(depth.tick ?? 0);
  row.fixed(range.owner);
  row.fixed(range.salt);
  row.int32(range.tickLower);
  row.int32(range.tickUpper);
  row.uint256(range.liquidity);
};
