import type { Hex } from './block.ts';
import type { Protocol } from './protocol.ts';

/** Where a fact is in its block. A native transfer and a creation have no log. */
interface InTransaction {
  readonly txHash: Hex;
  readonly txIndex: number;
}

interface InLog extends InTransaction {
  /** Position of the log in its block. */
  readonly logIndex: number;
}

/** An ERC-20 `Transfer`: three topics and 32 bytes of data, from any contract. */
export interface TransferFact extends InLog {
  readonly kind: 'transfer';
  readonly token: Hex;
  readonly from: Hex;
  readonly to: Hex;
  /** Raw token units as a hexadecimal quantity. */
  readonly value: Hex;
}

/** Native currency moved by a successful top-level transaction, value above zero. */
export interface NativeTransferFact extends InTransaction {
  readonly kind: 'nativeTransfer';
  readonly from: Hex;
  readonly to: Hex;
  /** Wei as a hexadecimal quantity. */
  readonly value: Hex;
}

/** A contract made by a top-level transaction that succeeded. */
export interface CreationFact extends InTransaction {
  readonly kind: 'creation';
  readonly contract: Hex;
  readonly creator: Hex;
}

/** A transaction that failed and, by the call alone, was to sell a token by way of a path of tokens. Only blocks read in full show it. */
export interface FailedSaleFact extends InTransaction {
  readonly kind: 'failedSale';
  /** The first of the path. Anyone can name anything: it need not be a token. */
  readonly token: Hex;
  /** Who sent the transaction. */
  readonly seller: Hex;
  /** The contract that was called. */
  readonly router: Hex;
}

/** An event of a market. What its log does not contain is an address of zero, an amount of zero, or left out. */
interface InMarket extends InLog {
  /** By the log alone: Slipstream and Pancake V3 log much of what Uniswap V3 logs; the creation says which it is. */
  readonly protocol: Protocol;
  /** The contract of the pool, the token of a four.meme curve, or the id of a pool in its manager (32 bytes). */
  readonly pool: Hex;
}

/** Something that happened in a market. */
interface MarketChange extends InMarket {
  /**
   * The contract that logged it, where that is not the pool itself: anybody can log the name of another's market, so
   * it happened only if the manager is the one that created it.
   */
  readonly manager?: Hex;
}

/** The two sides of a market; the native currency is zero. */
export interface Sides {
  readonly token0: Hex;
  readonly token1: Hex;
}

/** What a pool was created with; 0, false and the zero address where its protocol has no such thing. */
export interface PoolTerms {
  /** Hundredths of a basis point that a trade pays; of V4, 0x800000 is a fee that the hook sets. */
  readonly fee: number;
  readonly tickSpacing: number;
  /** Solidly: priced for two tokens of one worth. */
  readonly stable: boolean;
  /** V4: the contract that is called before and after everything. */
  readonly hooks: Hex;
}

/** A price as concentrated liquidity keeps it. */
export interface TickPrice {
  /** Square root of token1 for one token0, raw units, times 2^96. */
  readonly sqrtPriceX96: Hex;
  readonly tick: number;
}

/** Price and depth after a trade against concentrated liquidity. */
export interface TickDepth extends TickPrice {
  /** Liquidity in range. */
  readonly liquidity: Hex;
}

/** What a pool holds of both tokens, raw units. */
export interface Reserves {
  readonly reserve0: Hex;
  readonly reserve1: Hex;
}

/** A position of concentrated liquidity that changed. */
export interface TickRange {
  readonly owner: Hex;
  readonly tickLower: number;
  readonly tickUpper: number;
  /** By how much it changed. */
  readonly liquidity: Hex;
  /** V4: distinguishes what one owner has in one range; else zero. */
  readonly salt: Hex;
}

/** A market was created, by any factory. */
export interface PoolCreatedFact extends InMarket, Sides {
  readonly kind: 'poolCreated';
  /** The contract that says so; the manager of its markets where it has one. */
  readonly factory: Hex;
  readonly terms?: PoolTerms;
  /** V4: the price it starts with. */
  readonly price?: TickPrice;
}

/** The first price of a pool with concentrated liquidity: `Initialize` of V3. */
export interface PricedFact extends InMarket, TickPrice {
  readonly kind: 'priced';
}

/** The reserves after a change: `Sync`. */
export interface SyncFact extends InMarket, Reserves {
  readonly kind: 'sync';
}

/** A trade. */
export interface SwapFact extends MarketChange {
  readonly kind: 'swap';
  /** Who called the market, often a router. */
  readonly sender: Hex;
  /** Who received. */
  readonly to: Hex;
  /** Raw units that came into the market, and left it. */
  readonly amount0In: Hex;
  readonly amount1In: Hex;
  readonly amount0Out: Hex;
  readonly amount1Out: Hex;
  /** Balancer: a pool of several tokens names the two. */
  readonly sides?: Sides;
  /** Where the same log contains price and depth. */
  readonly after?: TickDepth | Reserves;
}

/** Liquidity added. V4 does not log amounts. */
export interface MintFact extends MarketChange {
  readonly kind: 'mint';
  readonly sender: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
  readonly range?: TickRange;
}

/** Liquidity removed. Of V3 and V4 the tokens leave later: `collect`. */
export interface BurnFact extends MarketChange {
  readonly kind: 'burn';
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
  readonly range?: TickRange;
}

/** Tokens of a position left the pool: what was burned before, and fees. */
export interface CollectFact extends MarketChange {
  readonly kind: 'collect';
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
  readonly range: TickRange;
}

/** A bonding curve gave what it held to a pool of another protocol: of its token, or (Virtuals) of token1, which its holders get for it. */
export interface GraduatedFact extends MarketChange, Sides {
  readonly kind: 'graduated';
  readonly amount0: Hex;
  readonly amount1: Hex;
}

/** The closed union of what happens in markets. */
export type MarketFact =
  | PoolCreatedFact
  | PricedFact
  | SyncFact
  | SwapFact
  | MintFact
  | BurnFact
  | CollectFact
  | GraduatedFact;

/** `OwnershipTransferred` of an Ownable contract. */
export interface OwnershipTransferredFact extends InLog {
  readonly kind: 'ownershipTransferred';
  readonly contract: Hex;
  readonly previousOwner: Hex;
  readonly newOwner: Hex;
}

/** What a locker says that it did, and what became of a position that can be locked. */
export const LOCK_ACTS = [
  'locked',
  'extended',
  'added',
  'withdrawn',
  'handedOver',
  'increased',
  'decreased',
  'moved',
] as const;
export type LockAct = (typeof LOCK_ACTS)[number];

/**
 * An event of a locker (`locked` to `handedOver`): the word of the contract that logged it, which anyone can log. Or of a position of
 * concentrated liquidity that is an NFT (`increased` and `decreased` by liquidity, `moved` to another owner). What a log does not contain is 0.
 */
export interface LockFact extends InLog {
  readonly kind: 'lock';
  readonly act: LockAct;
  /** The contract that logged it; of a position zero. */
  readonly locker: Hex;
  /** Number that the locker gave the lock. Some give none. */
  readonly lockId: Hex;
  /** The token that is locked, of liquidity its pool; or the contract that manages positions. */
  readonly asset: Hex;
  /** Id of the position in its manager. */
  readonly position: Hex;
  /** Who may take it out: after `handedOver` and `moved` the new one. */
  readonly owner: Hex;
  /** Raw units, of a position its liquidity: what is locked, with `extended` still locked, else the change. */
  readonly amount: Hex;
  /** Unix seconds, whatever the locker claims. */
  readonly unlockAt: Hex;
  /** The pool that the liquidity of a position went to, where it grew. */
  readonly market?: Hex;
}

/** Something that happened in one block, decoded and independent of any state of ours. */
export type Fact =
  | TransferFact
  | NativeTransferFact
  | CreationFact
  | FailedSaleFact
  | MarketFact
  | OwnershipTransferredFact
  | LockFact;

/** Whether a fact is of a market beside Uniswap V2: these have tables of their own, and the model of markets does not rest on them. */
export const isOtherMarket = (fact: Fact): boolean =>
  'protocol' in fact && fact.protocol !== 'uniswap_v2';
