import type { Hex } from './block.ts';
import type { Protocol } from './protocol.ts';

/** Static data about a chain. Addresses are lower case. */
export interface ChainProfile {
  readonly chainId: number;
  readonly name: string;
  /** Block explorer, with paths as in EIP-3091. */
  readonly explorer: string;
  /** Wrapped native token, the usual base of a pool. */
  readonly weth: Hex;
  /** Tokens worth one US dollar. */
  readonly stables: readonly {
    readonly symbol: string;
    readonly address: Hex;
    readonly decimals: number;
  }[];
  /** US dollars per native unit, used until a stable pool is indexed. */
  readonly nativePriceUsd: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockTimeS: number;
  /** Blocks after which a block counts as final, if the node does not report finality. */
  readonly finalityBlocks: number;
  /** Contracts that create markets, or hold all of them (Uniswap V4, Balancer V2, four.meme), by name. */
  readonly factories: Readonly<Partial<Record<Protocol, Readonly<Record<string, Hex>>>>>;
}
