import { LRUCache } from 'lru-cache';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { CacheMeter } from '../../../shared/platform/metrics/cacheMetrics.ts';
import type { Sighting } from '../ingest/touched.ts';
import type { TokenReader } from './tokenReader.ts';
import type { TokenStore } from './tokenStore.ts';

/** Tokens and non-tokens remembered: some 200 bytes each. */
const REMEMBERED_MAX = 200_000;

/** Knows which contracts are tokens. */
export interface TokenDirectory {
  /** Finds out about contracts: remembered, stored, or, where they were sighted, read and stored. */
  resolve(
    contracts: readonly Hex[],
    sightings: ReadonlyMap<Hex, readonly Sighting[]>,
    epoch: number,
  ): Promise<void>;
  /** Whether the contract is a token, once resolved. */
  has(contract: Hex): boolean;
  forget(): void;
}

export const createTokenDirectory = (ports: {
  chainId: number;
  /** Of contracts that look like tokens, those that are tokens and no shares of a pool. */
  withoutPools: (contracts: readonly Hex[], epoch: number) => Promise<ReadonlySet<Hex>>;
  tokens: TokenStore;
  tokenReader: TokenReader;
  logger: Logger;
  rememberedMax?: number;
  meter?: CacheMeter | undefined;
}): TokenDirectory => {
  const { chainId, withoutPools, tokens, tokenReader, logger, meter } = ports;
  const max = ports.rememberedMax ?? REMEMBERED_MAX;
  const known = new LRUCache<Hex, true>({ max });
  const strangers = new LRUCache<Hex, true>({ max });
  /** Reads the first of each contract's sightings; of those that show no token, the others remain. */
  const confirmFirst = async (
    candidates: readonly (readonly Sighting[])[],
    epoch: number,
  ): Promise<(readonly Sighting[])[]> => {
    const firsts = candidates.flatMap((sightings) => sightings.slice(0, 1));
    const results = await tokenReader.read(chainId, firsts);
    const found = results.flatMap((result) => (result.kind === 'token' ? [result.record] : []));
    const offered = await withoutPools(
      found.map(({ token }) => token),
      epoch,
    );
    const records = found.filter(({ token }) => offered.has(token));
    await tokens.insert(records, epoch);
    for (const { token } of records) known.set(token, true);
    for (const { token, source } of firsts) {
      // Made just now, it may yet begin to act like a token: the next sight of it is looked at again.
      if (source === 'creation') strangers.delete(token);
      else if (!known.has(token)) strangers.set(token, true);
    }
    logger.debug({ read: firsts.length, tokens: records.length }, 'candidates read');
    return candidates
      .filter(([first]) => first && !known.has(first.token))
      .map((sightings) => sightings.slice(1));
  };

  /** The sightings worth a look: of a stranger, only what comes with or after its creation. */
  const worthALook = (token: Hex, sightings: readonly Sighting[]): readonly Sighting[] => {
    if (!strangers.has(token)) return sightings;
    const creation = sightings.findIndex(({ source }) => source === 'creation');
    return creation < 0 ? [] : sightings.slice(creation);
  };

  return {
    resolve: async (contracts, sightings, epoch) => {
      const isSettled = (token: Hex): boolean =>
        strangers.has(token) && worthALook(token, sightings.get(token) ?? []).length === 0;
      const unknown = contracts.filter((token) => !known.has(token) && !isSettled(token));
      meter?.asked(contracts.length, unknown.length);
      for (const token of await tokens.known(chainId, unknown)) known.set(token, true);
      let candidates = unknown
        .filter((token) => !known.has(token))
        .map((token) => worthALook(token, sightings.get(token) ?? []));
      for (;;) {
        candidates = candidates.filter((left) => left.length > 0);
        if (candidates.length === 0) return;
        candidates = await confirmFirst(candidates, epoch);
      }
    },
    has: (contract) => known.has(contract),
    forget: () => {
      known.clear();
      strangers.clear();
    },
  };
};
