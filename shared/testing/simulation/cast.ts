import type { Hex } from '../../chain/block.ts';
import type { WatchItem } from '../../messages/watchMessage.ts';

const address = (kind: number, index: number): Hex =>
  `0x${(kind * 0x10000 + index + 1).toString(16).padStart(40, 'a')}`;

/**
 * How a contract of the simulation shows what it is: a token that is deployed by a transaction, one
 * made by a factory, one that only acts like a token and answers no call, and one that is none.
 */
export type TokenNature = 'deployed' | 'factory' | 'silent' | 'notToken';

/** A contract that sends Transfers. Its creator makes all of its transactions. */
export interface CastToken {
  readonly address: Hex;
  readonly nature: TokenNature;
  readonly creator: Hex;
}

/** A pool of a token against the base token. */
export interface CastPool {
  readonly address: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  readonly maker: Hex;
}

const NATURES: readonly TokenNature[] = [
  'deployed',
  'factory',
  'silent',
  'notToken',
  'deployed',
  'factory',
];

export const CHAIN_ID = 31_337;
export const FACTORY: Hex = address(9, 0);
export const WETH: Hex = address(8, 0);
/** Where the base token is made: a factory's work, so that nobody deploys it. */
const WETH_TOKEN: CastToken = { address: WETH, nature: 'factory', creator: address(2, 99) };
export const TOKENS: readonly CastToken[] = [
  ...NATURES.map((nature, i) => ({ address: address(1, i), nature, creator: address(2, i) })),
  WETH_TOKEN,
];
export const HOLDERS: readonly Hex[] = Array.from({ length: 5 }, (_, i) => address(3, i));
/** Who pays creators their first money. */
export const FUNDERS: readonly Hex[] = Array.from({ length: 2 }, (_, i) => address(5, i));
/** Pools of the first four tokens; the base token is on either side. */
export const POOLS: readonly CastPool[] = TOKENS.slice(0, 4).map((token, i) => ({
  address: address(4, i),
  token0: i % 2 === 0 ? token.address : WETH,
  token1: i % 2 === 0 ? WETH : token.address,
  maker: token.creator,
}));

/** Watchlist items of two key families; ids are never used again. */
export const watchOf = (id: number, index: number): WatchItem => ({
  family: `family${index % 2}`,
  id,
  type: index % 3 === 2 ? 'wallet' : 'token',
  address:
    (index % 3 === 2 ? TOKENS[index % TOKENS.length]?.creator : TOKENS[index % 5]?.address) ?? WETH,
  alerts: ['rug_pull', 'price_drop', 'liquidity_removed', 'new_token', 'ownership_change'],
  sensitivity: (['low', 'medium', 'high'] as const)[index % 3] ?? 'high',
  createdAtMs: 0,
});
