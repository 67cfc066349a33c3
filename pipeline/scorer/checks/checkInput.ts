import type { Hex } from '../../../shared/chain/block.ts';
import type { Protocol } from '../../../shared/chain/protocol.ts';
import type { Sentence } from '../../../shared/sentences/sentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import type { SpreadRow } from '../features/holderStore.ts';
import type { HoldersExperience } from '../features/holdersExperience.ts';
import type { InsiderSales } from '../features/insiderSales.ts';
import type { MarketDrain, ValuedPool } from '../features/tokenFeatures.ts';
import type { StudiedLock } from '../locks/studiedLock.ts';
import type { SimulationParams } from '../simulation/simulateParams.ts';

/** A transfer from one wallet to another; `reason` continues a sentence. */
export type WalletTransfer =
  | { readonly kind: 'moved'; readonly tax: number }
  | { readonly kind: 'failed'; readonly reason: Sentence }
  | { readonly kind: 'unreadable'; readonly reason: Sentence };

/** A trade that fails at this size and works at a smaller one. */
export interface TradeLimit {
  /** `purchase`: at once. `wallet`: by several purchases in one block. `sale`: at once. */
  readonly kind: 'purchase' | 'wallet' | 'sale';
  /** What was traded, as a share of the pool's base reserve. */
  readonly share: number;
}

/** What the hook of a pool keeps of trades, found by repeating the trades with a hook that takes and refuses nothing. */
export interface HookTrade {
  readonly hook: Hex;
  /** Shares from 0 to 1 of what the pool itself would give, its own fee left out. */
  readonly buyTake: number;
  readonly sellTake: number;
  /** The purchase and the sale, each with the hook and without. */
  readonly shownBy: readonly SimulationParams[];
}

/** What a simulated purchase and sale showed. Taxes are shares from 0 to 1. */
export type TradeSimulation =
  | {
      readonly kind: 'traded';
      readonly blockNumber: number;
      readonly buyTax: number;
      readonly sellTax: number;
      /** Seconds after the purchase at which the sale worked; more than a block is a waiting time. */
      readonly sellableAfterS?: number;
      readonly transfer: WalletTransfer;
      /** Those found by a few trials; larger trades may meet others. */
      readonly limits: readonly TradeLimit[];
      /** Of a pool with a hook, where the trades could be compared. */
      readonly hook?: HookTrade | undefined;
      /** What showed the taxes, the transfer, and the limits; none where nothing is limited. */
      readonly shownBy: {
        readonly sale: SimulationParams;
        readonly transfer: SimulationParams;
        readonly limits: readonly SimulationParams[];
      };
    }
  | {
      readonly kind: 'buyFails';
      readonly blockNumber: number;
      readonly reason: Sentence;
      readonly shownBy: SimulationParams;
    }
  | {
      readonly kind: 'sellFails';
      readonly blockNumber: number;
      readonly reason: Sentence;
      readonly limits: readonly TradeLimit[];
      /** Whether it works for a seller who hands the tokens to the pool, and fails where a router takes them. */
      readonly isRouterRefused?: boolean;
      /** A contract that the token names, through which it works all the same; and what shows that. */
      readonly soldThrough?:
        | { readonly router: Hex; readonly shownBy: readonly SimulationParams[] }
        | undefined;
      /** What shows that the same words refuse a wallet that has gathered too much: then they may mean the pool's balance. */
      readonly walletLimit?: SimulationParams;
      /** The hook of the pool, where the same sale works without it; and what shows that. */
      readonly refusedBy?: { readonly hook: Hex; readonly shownBy: SimulationParams } | undefined;
      readonly shownBy: SimulationParams;
    }
  | { readonly kind: 'unknown'; readonly reason: Sentence };

/** What wallets that bought a token can do with it now, tried as each of them. */
export interface HolderTrials {
  readonly blockNumber: number;
  readonly tried: number;
  /**
   * Wallets that were looked at, of those that ever bought. Undefined where two of them bought first in one block, as robots do, whom many tokens
   * refuse.
   */
  readonly bought?: number | undefined;
  /** Wallets whose sale works in a transaction that pays for its gas, now or later. */
  readonly sold: readonly Hex[];
  readonly refused: readonly Hex[];
  /** Those of the refused whose sale works where nothing is paid for gas. */
  readonly soldForFree: readonly Hex[];
  /** Shares from 0 to 1 that did not arrive of what holders sold, where any sold at once. */
  readonly tax?:
    | { readonly lowest: number; readonly mean: number; readonly highest: number }
    | undefined;
  /**
   * Of the latest sales that others made, how many were sent by who the token's logs say sold, and how many of some of these work when they are
   * simulated in the same way on the state before each: then the way of trying is not what keeps the refused from selling. Undefined where
   * nothing was refused, nobody has sold, or the node does not say.
   */
  readonly repeated?:
    | {
        readonly sales: number;
        readonly sent: number;
        readonly worked: number;
        readonly shownBy?: SimulationParams | undefined;
      }
    | undefined;
  /**
   * Of so many wallets looked at, those that lost what they bought without an act of their own: their purchases, and who took the tokens, where a
   * log says so. Undefined where they are few.
   */
  readonly taken?:
    | {
        readonly robbed: readonly { readonly bought: Hex; readonly takenBy: Hex | undefined }[];
        readonly of: number;
      }
    | undefined;
  /** Why the first of the refused cannot sell. */
  readonly reason?: Sentence | undefined;
  /** The same sales: as transactions, without a price of gas, and as transactions later. */
  readonly shownBy: {
    readonly paid: SimulationParams;
    readonly free: SimulationParams;
    readonly later: SimulationParams;
  };
}

/** Verdicts on other tokens with the same instructions. */
export interface CodeTwins {
  /** Tokens with identical instructions that failed a critical check of their contract. */
  readonly scams: number;
  /** Tokens with identical instructions that did not. */
  readonly others: number;
  /** One of the scams. */
  readonly example: Hex | null;
}

/** The input of all checks of one token. */
export interface CheckInput {
  readonly chainId: number;
  readonly token: Hex;
  /** The wrapped native coin and the stablecoins that the operator prices tokens in. */
  readonly bases: readonly Hex[];
  readonly name: string;
  readonly symbol: string;
  readonly pool: ValuedPool | undefined;
  /** Where a market beside Uniswap V2 held more than any pool there, and little is left. */
  readonly drain?: MarketDrain | undefined;
  /** Share of the liquidity of the market that held most which was withdrawn in the last week, 0 to 1. */
  readonly withdrawnShare: number;
  /** Protocol of the deepest market; undefined without one. */
  readonly protocol: Protocol | undefined;
  /** Of the entry of a manager that trades are tried on: the fee it was opened with, and where that was logged. */
  readonly poolFee?:
    | {
        /** Of what is paid in, 0 to 1. */
        readonly share: number;
        readonly manager: Hex;
        readonly pool: Hex;
        /** Block that the verdict is as of. */
        readonly blockNumber: number;
      }
    | undefined;
  /** What was bought in the block in which the main market opened; undefined where nothing was. Shares of all tokens, 0 to 1. */
  readonly launch:
    | {
        readonly sniped: number;
        readonly byCreator: number;
        /** What the creator holds now. */
        readonly creator: number;
        readonly block: number;
        readonly txHash: Hex;
      }
    | undefined;
  /** Calibrated probability of the model alone. */
  readonly modelProbability: number;
  /**
   * Log-odds that the market adds to those of pools of the same age: how much more often pools that
   * were drained within a week traded like this one. 0 without a pool.
   */
  readonly marketEvidence: number;
  /** The last block whose trades the model read; 0 without a pool. */
  readonly marketBlock: number;
  /** Days since anything happened in the main pool, of one that is older than a day. */
  readonly idleDays?: number | undefined;
  /** Purchases in its markets, whoever made them; 0 where nothing is known of any. */
  readonly purchaseCount: number;
  /** Sales, likewise. */
  readonly saleCount: number;
  readonly topTenConcentration: number;
  /** Shares of all tokens held, by holder, the largest first; pools are among them. */
  readonly largestHolders: readonly (readonly [holder: Hex, share: number])[];
  readonly holderCount: number;
  /** False for a mature token of which only the latest transfers are read. */
  readonly areBalancesKnown: boolean;
  /** How a token without any market came to its holders; undefined for others, and where it was not read. */
  readonly spread: Omit<SpreadRow, 'address'> | undefined;
  readonly simulation: TradeSimulation;
  /** What those who bought experienced; undefined where nothing was traded. */
  readonly experience?: HoldersExperience | undefined;
  /** What such buyers can do now; undefined where none holds any, or it was not tried. */
  readonly trials?: HolderTrials | undefined;
  /** What those behind the token sold in the last week; undefined where nobody traded, or its transfers are too many to look at. */
  readonly insiderSales?: InsiderSales | undefined;
  /** Undefined while the contract could not be read. */
  readonly contract: ContractProfile | undefined;
  readonly twins: CodeTwins | undefined;
  /** Of the token, of its pools' tokens and of positions in its pools. */
  readonly locks: readonly StudiedLock[];
  /** Those behind the token: its creator, its owner, who added the first liquidity. */
  readonly insiders: ReadonlySet<string>;
}
