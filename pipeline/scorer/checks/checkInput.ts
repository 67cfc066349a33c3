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
  /** `purchase`: one purchase. `wallet`: several purchases in one block. `sale`: one sale. */
  readonly kind: 'purchase' | 'wallet' | 'sale';
  /** The traded amount, as a share of the pool's base reserve. */
  readonly share: number;
}

/**
 * What a pool's hook takes from trades, measured by repeating them with a hook that takes and refuses nothing.
 */
export interface HookTrade {
  readonly hook: Hex;
  /** Shares, 0 to 1, of what the pool alone would pay after its own fee. */
  readonly buyTake: number;
  readonly sellTake: number;
  /** The purchase and the sale, each with and without the hook. */
  readonly shownBy: readonly SimulationParams[];
}

/** Results of a simulated purchase and sale. Taxes are shares from 0 to 1. */
export type TradeSimulation =
  | {
      readonly kind: 'traded';
      readonly blockNumber: number;
      readonly buyTax: number;
      readonly sellTax: number;
      /** Seconds after the purchase at which the sale worked; more than a block means a waiting time. */
      readonly sellableAfterS?: number;
      readonly transfer: WalletTransfer;
      /** Limits found by a few trials; larger trades may meet others. */
      readonly limits: readonly TradeLimit[];
      /** For a pool with a hook, if the trades could be compared. */
      readonly hook?: HookTrade | undefined;
      /** Evidence for the taxes, the transfer, and the limits; empty if nothing is limited. */
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
      /** Whether the sale works if the seller sends the tokens to the pool, but fails through a router. */
      readonly isRouterRefused?: boolean;
      /** A contract that the token names, through which the sale nevertheless works, with the evidence. */
      readonly soldThrough?:
        | { readonly router: Hex; readonly shownBy: readonly SimulationParams[] }
        | undefined;
      /**
       * Evidence that the same revert message refuses a wallet that holds too much: then it may be about the pool's
       * balance.
       */
      readonly walletLimit?: SimulationParams;
      /** The pool's hook, if the same sale works without it, with the evidence. */
      readonly refusedBy?: { readonly hook: Hex; readonly shownBy: SimulationParams } | undefined;
      readonly shownBy: SimulationParams;
    }
  | { readonly kind: 'unknown'; readonly reason: Sentence };

/** What wallets that bought a token can do now, simulated as each of them. */
export interface HolderTrials {
  readonly blockNumber: number;
  readonly tried: number;
  /**
   * Examined wallets among all that ever bought. Undefined if two of them first bought in the same block, as bots do,
   * which many tokens refuse.
   */
  readonly bought?: number | undefined;
  /** Wallets whose sale works in a transaction that pays for gas, now or later. */
  readonly sold: readonly Hex[];
  readonly refused: readonly Hex[];
  /** Refused wallets whose sale works at a gas price of zero. */
  readonly soldForFree: readonly Hex[];
  /** Shares, 0 to 1, missing from what holders sold, if any sold immediately. */
  readonly tax?:
    | { readonly lowest: number; readonly mean: number; readonly highest: number }
    | undefined;
  /**
   * Of the latest sales by others: how many were sent by the seller named in the token's logs, and how many of a
   * sample work when simulated in the same way on the state before each. If they work, the simulation method is not
   * what refuses holders. Undefined if nothing was refused, nobody has sold, or the node does not say.
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
   * Of the examined wallets, those that lost what they bought without an action of their own: their purchases, and
   * who took the tokens, if a log says so. Undefined if there are few.
   */
  readonly taken?:
    | {
        readonly robbed: readonly { readonly bought: Hex; readonly takenBy: Hex | undefined }[];
        readonly of: number;
      }
    | undefined;
  /** Why the first refused wallet cannot sell. */
  readonly reason?: Sentence | undefined;
  /** The same sales: as transactions, at a gas price of zero, and as later transactions. */
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
  /** The wrapped native coin and the stablecoins in which the operator prices tokens. */
  readonly bases: readonly Hex[];
  readonly name: string;
  readonly symbol: string;
  readonly pool: ValuedPool | undefined;
  /** Set if a market of another protocol once held more than any Uniswap V2 pool, and little is left. */
  readonly drain?: MarketDrain | undefined;
  /** Share of the liquidity of the largest market ever that was withdrawn in the last week, 0 to 1. */
  readonly withdrawnShare: number;
  /** Protocol of the deepest market; undefined without one. */
  readonly protocol: Protocol | undefined;
  /** For the managed pool on which trades are simulated: its initial fee, and the log that states it. */
  readonly poolFee?:
    | {
        /** Share of the input, 0 to 1. */
        readonly share: number;
        readonly manager: Hex;
        readonly pool: Hex;
        /** Block of the verdict. */
        readonly blockNumber: number;
      }
    | undefined;
  /**
   * Purchases in the block in which the main market opened; undefined if there were none. Shares of all tokens, 0 to
   * 1.
   */
  readonly launch:
    | {
        readonly sniped: number;
        readonly byCreator: number;
        /** The creator's current holdings. */
        readonly creator: number;
        readonly block: number;
        readonly txHash: Hex;
      }
    | undefined;
  /** Calibrated probability of the model alone. */
  readonly modelProbability: number;
  /**
   * Log-odds of the market relative to pools of the same age: how much more often pools that were drained within a
   * week traded like this one. 0 without a pool.
   */
  readonly marketEvidence: number;
  /** The last block whose trades the model read; 0 without a pool. */
  readonly marketBlock: number;
  /** Days since the last event in the main pool, if the pool is older than a day. */
  readonly idleDays?: number | undefined;
  /** Purchases in its markets by any wallet; 0 if unknown. */
  readonly purchaseCount: number;
  /** Sales, likewise. */
  readonly saleCount: number;
  readonly topTenConcentration: number;
  /** Shares of all tokens by holder, largest first; pools included. */
  readonly largestHolders: readonly (readonly [holder: Hex, share: number])[];
  readonly holderCount: number;
  /** False for a mature token of which only the latest transfers are read. */
  readonly areBalancesKnown: boolean;
  /** How a token without a market reached its holders; undefined for others, and if not read. */
  readonly spread: Omit<SpreadRow, 'address'> | undefined;
  readonly simulation: TradeSimulation;
  /** What buyers experienced; undefined without trades. */
  readonly experience?: HoldersExperience | undefined;
  /** What real buyers can do now; undefined if none of them holds tokens, or this was not simulated. */
  readonly trials?: HolderTrials | undefined;
  /** Insider sales of the last week; undefined without trades, or with too many transfers to examine. */
  readonly insiderSales?: InsiderSales | undefined;
  /** Undefined while the contract could not be read. */
  readonly contract: ContractProfile | undefined;
  readonly twins: CodeTwins | undefined;
  /** Locks of the token, of its pools' tokens and of positions in its pools. */
  readonly locks: readonly StudiedLock[];
  /** Insiders: its creator, its owner, and who added the first liquidity. */
  readonly insiders: ReadonlySet<string>;
}
