import type { Hex } from '../chain/block.ts';
import { KNOWN_TOKENS } from './artifacts/knownTokens.ts';

/** A token that others imitate. */
export interface KnownToken {
  readonly symbol: string;
  readonly name: string;
  readonly address: Hex;
}

/** Chains whose tokens are known. */
export const knownChains = (): number[] => Object.keys(KNOWN_TOKENS).map(Number);

/** The known tokens of one chain; none if the table does not list the chain. */
export const knownTokens = (chainId: number): readonly KnownToken[] =>
  (KNOWN_TOKENS[chainId] ?? []).map(([symbol, name, address]) => ({ symbol, name, address }));

const BY_ADDRESS: ReadonlyMap<number, ReadonlyMap<Hex, KnownToken>> = new Map(
  knownChains().map((chainId) => [
    chainId,
    new Map(knownTokens(chainId).map((known) => [known.address, known])),
  ]),
);

/** The known token at an address; undefined for all others. */
export const knownTokenAt = (chainId: number, address: Hex): KnownToken | undefined =>
  BY_ADDRESS.get(chainId)?.get(address);
