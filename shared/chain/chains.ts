import type { Hex } from './block.ts';
import type { ChainProfile } from './chainProfile.ts';
import { arbitrum } from './profiles/arbitrum.ts';
import { base } from './profiles/base.ts';
import { bnbSmartChain } from './profiles/bnbSmartChain.ts';
import { ethereum } from './profiles/ethereum.ts';
import { optimism } from './profiles/optimism.ts';
import { polygon } from './profiles/polygon.ts';

/** Known chains by id, one file each. Others need WETH_ADDRESS and NATIVE_PRICE_USD in the environment. */
export const CHAIN_PROFILES: ReadonlyMap<number, ChainProfile> = new Map(
  [ethereum, optimism, bnbSmartChain, polygon, base, arbitrum].map((profile) => [
    profile.chainId,
    profile,
  ]),
);

/** Contracts whose markets count on a chain; null for a chain without a profile, where all count. */
export const factoriesOf = (chainId: number): ReadonlySet<Hex> | null => {
  const profile = CHAIN_PROFILES.get(chainId);
  return profile
    ? new Set(Object.values(profile.factories).flatMap((named) => Object.values(named)))
    : null;
};

/**
 * Decimals of the known chains' stablecoins, by contract. Decimals of other stablecoins are unknown until their
 * contract was read. Until then such a token values nothing, because a wrong guess may be off by a factor of 10^12.
 */
export const KNOWN_STABLE_DECIMALS: ReadonlyMap<Hex, number> = new Map(
  [...CHAIN_PROFILES.values()].flatMap(({ stables }) =>
    stables.map(({ address, decimals }): [Hex, number] => [address, decimals]),
  ),
);
