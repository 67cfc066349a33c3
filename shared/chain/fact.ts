import type { Hex } from './block.ts';
import type { Protocol } from './protocol.ts';

/** Position of a fact in its block. Native transfers and creations have no log. */
interface InTransaction {
  readonly txHash: Hex;
  readonly txIndex: number;
}

interface InLog extends InTransaction {
  /** Index of the log in its block. */
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

/** Native currency moved by a successful top-level transaction, with a value above zero. */
export interface NativeTransferFact extends InTransaction {
  readonly kind: 'nativeTransfer';
  readonly from: Hex;
  readonly to: Hex;
  /** Wei as a hexadecimal quantity. */
  readonly value: Hex;
}

/** A contract created by a successful top-level transaction. */
export interface CreationFact extends InTransaction {
  readonly kind: 'creation';
  readonly contract: Hex;
  readonly creator: Hex;
}

/**
 * A failed transaction whose calldata shows an attempt to sell a token along a path of tokens. Only blocks read in
 * full contain these.
 */
export interface FailedSaleFact extends InTransaction {
  readonly kind: 'failedSale';
  /** The first of the path. The caller can put any address there: it need not be a token. */
  readonly token: Hex;
  /** The sender of the transaction. */
  readonly seller: Hex;
  /** The contract that was called. */
  readonly router: Hex;
}

/**
 * An event of a market. A field that its log does not contain is a zero address, a zero amount, or left out.
 */
interface InMarket extends InLog {
  /**
   * Protocol judged by the log alone: Slipstream and Pancake V3 share many events with Uniswap V3; the creation event
   * decides.
   */
  readonly protocol: Protocol;
  /** The pool's contract, the token of a four.meme curve, or the id of a pool in its manager (32 bytes). */
  readonly pool: Hex;
}

/** Something that happened in a market. */
interface MarketChange extends InMarket {
  /**
   * The contract that logged it, if that is not the pool itself. Any contract can log the id of another's market, so
   * the event is valid only if this manager created the market.
   */
  readonly manager?: Hex;
}

/** The two sides of a market; the native currency is zero. */
export interface Sides {
  readonly token0: Hex;
  readonly token1: Hex;
}

/** Parameters of a pool's creation; 0, false and the zero address if its protocol has no such parameter. */
export interface PoolTerms {
  /** Fee of a trade in hundredths of a basis point; on V4, 0x800000 is a fee that the hook sets. */
  readonly fee: number;
  readonly tickSpacing: number;
  /** Solidly: a curve for two tokens of equal value. */
  readonly stable: boolean;
  /** V4: the hook contract, called before and after every action. */
  readonly hooks: Hex;
}

/** A price in the form of concentrated liquidity. */
export interface TickPrice {
  /** Square root of the price of token0 in token1, raw units, times 2^96. */
  readonly sqrtPriceX96: Hex;
  readonly tick: number;
}

/** Price and depth after a trade in a concentrated-liquidity pool. */
export interface TickDepth extends TickPrice {
  /** Liquidity in range. */
  readonly liquidity: Hex;
}

/** A pool's reserves of both tokens, raw units. */
export interface Reserves {
  readonly reserve0: Hex;
  readonly reserve1: Hex;
}

/** A changed position of concentrated liquidity. */
export interface TickRange {
  readonly owner: Hex;
  readonly tickLower: number;
  readonly tickUpper: number;
  /** The amount of the change. */
  readonly liquidity: Hex;
  /** V4: distinguishes several positions of one owner in the same range; else zero. */
  readonly salt: Hex;
}

/** Any factory created a market. */
export interface PoolCreatedFact extends InMarket, Sides {
  readonly kind: 'poolCreated';
  /** The contract that logged it; for managed markets their manager. */
  readonly factory: Hex;
  readonly terms?: PoolTerms;
  /** V4: the initial price. */
  readonly price?: TickPrice;
}

/** The initial price of a pool with concentrated liquidity: `Initialize` of V3. */
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
  /** The caller of the market, often a router. */
  readonly sender: Hex;
  /** Who received. */
  readonly to: Hex;
  /** Raw units that entered and left the market. */
  readonly amount0In: Hex;
  readonly amount1In: Hex;
  readonly amount0Out: Hex;
  readonly amount1Out: Hex;
  /** Balancer: a pool of several tokens logs the two of the trade. */
  readonly sides?: Sides;
  /** Present if the same log contains price and depth. */
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

/** Liquidity removed. On V3 and V4 the tokens leave later: `collect`. */
export interface BurnFact extends MarketChange {
  readonly kind: 'burn';
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
  readonly range?: TickRange;
}

/** Tokens of a position left the pool: those burned earlier, and fees. */
export interface CollectFact extends MarketChange {
  readonly kind: 'collect';
  readonly sender: Hex;
  readonly to: Hex;
  readonly amount0: Hex;
  readonly amount1: Hex;
  readonly range: TickRange;
}

/**
 * A bonding curve moved its holdings to a pool of another protocol. That pool trades the curve's token or, for
 * Virtuals, token1, which holders get in exchange.
 */
export interface GraduatedFact extends MarketChange, Sides {
  readonly kind: 'graduated';
  readonly amount0: Hex;
  readonly amount1: Hex;
}

/** The closed union of market events. */
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

/** What a locker reports, and changes of positions that can be locked. */
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
 * An event of a locker (`locked` to `handedOver`): a claim of the contract that logged it, and any contract can log
 * it. Or an event of a position of concentrated liquidity that is an NFT (`increased` and `decreased` by liquidity,
 * `moved` to another owner). A field that the log does not contain is 0.
 */
export interface LockFact extends InLog {
  readonly kind: 'lock';
  readonly act: LockAct;
  /** The contract that logged it; zero for a position. */
  readonly locker: Hex;
  /** The locker's number for the lock. Some lockers have none. */
  readonly lockId: Hex;
  /** The locked token (for liquidity, its pool), or the contract that manages positions. */
  readonly asset: Hex;
  /** Id of the position in its manager. */
  readonly position: Hex;
  /** Who may withdraw it: the new owner after `handedOver` and `moved`. */
  readonly owner: Hex;
  /**
   * Raw units, or the liquidity of a position: the locked amount (for `extended`, the amount still locked), otherwise
   * the change.
   */
  readonly amount: Hex;
  /** Unix seconds, as claimed by the locker. */
  readonly unlockAt: Hex;
  /** The pool of a position whose liquidity increased. */
  readonly market?: Hex;
}

/** Something that happened in one block, decoded independently of any state of ours. */
export type Fact =
  | TransferFact
  | NativeTransferFact
  | CreationFact
  | FailedSaleFact
  | MarketFact
  | OwnershipTransferredFact
  | LockFact;

/**
 * Whether a fact belongs to a market of another protocol than Uniswap V2: these have tables of their own, and the
 * market model does not use them.
 */
export const isOtherMarket = (fact: Fact): boolean =>
  'protocol' in fact && fact.protocol !== 'uniswap_v2';
