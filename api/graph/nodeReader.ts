import type { Hex } from '../../shared/chain/block.ts';
import {
  poolPairs,
  type TokenLabel,
  tokenLabels,
  type WalletLabel,
  walletLabels,
} from '../queries/graphNodes.ts';
import type { Database } from '../queries/verdict.ts';

/** What the index says of addresses: each map holds those of them that are of its kind. */
export interface KnownNodes {
  readonly tokens: Map<Hex, TokenLabel>;
  readonly wallets: Map<Hex, WalletLabel>;
  readonly pools: Map<Hex, readonly [Hex, Hex]>;
}

/** Reads what the index says of addresses. */
export type NodeReader = (addresses: readonly Hex[]) => Promise<KnownNodes>;

const pick = <T>(from: ReadonlyMap<Hex, T>, addresses: readonly Hex[]): Map<Hex, T> =>
  new Map(
    addresses.flatMap((address) => {
      const value = from.get(address);
      return value === undefined ? [] : [[address, value] as const];
    }),
  );

/** A reader for one request: no address is read twice. It holds what the request has visited. */
export const createNodeReader = (database: Database, chainId: number): NodeReader => {
  const seen = new Set<Hex>();
  const known: KnownNodes = { tokens: new Map(), wallets: new Map(), pools: new Map() };
  return async (addresses) => {
    const fresh = addresses.filter((address) => !seen.has(address));
    const [tokens, wallets, pools] = await Promise.all([
      tokenLabels(database, chainId, fresh),
      walletLabels(database, chainId, fresh),
      poolPairs(database, chainId, fresh),
    ]);
    for (const [address, token] of tokens) known.tokens.set(address, token);
    for (const [address, wallet] of wallets) known.wallets.set(address, wallet);
    for (const [address, pool] of pools) known.pools.set(address, pool);
    for (const address of fresh) seen.add(address);
    return {
      tokens: pick(known.tokens, addresses),
      wallets: pick(known.wallets, addresses),
      pools: pick(known.pools, addresses),
    };
  };
};
