import { LRUCache } from 'lru-cache';
import type { Hex } from '../../shared/chain/block.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Sighting } from './facts/touched.ts';
import type { TokenReader } from './tokenReader.ts';
import type { TokenStore } from './tokenStore.ts';

/** Tokens and non-tokens remembered: some 200 bytes each. */
const REMEMBERED_MAX = 200_000;

/** Knows which contracts are tokens. */
export interface TokenDirectory {
  /** Finds out about contracts: remembered, stored, or, where they were sighted, read and stored. */
  resolve(
    contracts: readonly Hex[],
    sightings: ReadonlyMap<Hex, Sighting>,
    epoch: number,
  ): Promise<void>;
  /** Whether the contract is a token, once resolved. */
  has(contract: Hex): boolean;
  forget(): void;
}

export const createTokenDirectory = (ports: {
  chainId: number;
  tokens: TokenStore;
  tokenReader: TokenReader;
  logger: Logger;
}): TokenDirectory => {
  const { chainId, tokens, tokenReader, logger } = ports;
  const known = new LRUCache<Hex, true>({ max: REMEMBERED_MAX });
  const strangers = new LRUCache<Hex, true>({ max: REMEMBERED_MAX });

  const confirm = async (candidates: readonly Sighting[], epoch: number): Promise<void> => {
    if (candidates.length === 0) return;
    const results = await tokenReader.read(chainId, candidates);
    const records = results.flatMap((result) => (result.kind === 'token' ? [result.record] : []));
    await tokens.insert(records, epoch);
    for (const { token } of records) known.set(token, true);
    for (const { token } of candidates) if (!known.has(token)) strangers.set(token, true);
    logger.debug({ candidates: candidates.length, tokens: records.length }, 'candidates read');
  };

  return {
    resolve: async (contracts, sightings, epoch) => {
      const unknown = contracts.filter((token) => !known.has(token) && !strangers.has(token));
      for (const token of await tokens.known(chainId, unknown)) known.set(token, true);
      const missing = unknown.filter((token) => !known.has(token));
      await confirm(
        missing.flatMap((token) => sightings.get(token) ?? []),
        epoch,
      );
    },
    has: (contract) => known.has(contract),
    forget: () => {
      known.clear();
      strangers.clear();
    },
  };
};
