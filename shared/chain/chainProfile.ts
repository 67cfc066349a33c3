import type { Hex } from './block.ts';
import type { Protocol } from './protocol.ts';

/** What is known of a chain before it is read. Addresses are lower case. */
export interface ChainProfile {
  readonly chainId: number;
  readonly name: string;
  /** Where people look transactions up, with paths as EIP-3091 has them. */
  readonly explorer: string;
  /** Wrapped native token, the usual base of a pool. */
  readonly weth: Hex;
  /** Tokens worth one US dollar. */
  readonly stables: readonly {
    readonly symbol: string;
    readonly address: Hex;
    readonly decimals: number;
  }[];
  /** US dollars per native unit, used while no stable pool is indexed. */
  readonly nativePriceUsd: number;
  /** Seconds between blocks, for estimates only. */
  readonly blockTimeS: number;
  /** Blocks after which one stays, where a node does not say which is final. */
  readonly finalityBlocks: number;
  /** Contracts that make markets, or keep them all (Uniswap V4, Balancer V2, four.meme), by name. */
  readonly factories: Readonly<Partial<Record<Protocol, Readonly<Record<string, Hex>>>>>;
}
