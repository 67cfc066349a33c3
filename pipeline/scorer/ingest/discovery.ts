import type { Hex } from '../../../shared/chain/block.ts';
import { chainPosition } from '../../../shared/chain/version.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { CacheMeters } from '../../../shared/platform/metrics.ts';
import { createPoolDirectory, type PoolReader, type PoolStore } from '../pool/poolStore.ts';
import type { TokenReader } from '../token/tokenReader.ts';
import { createTokenDirectory, type TokenStore } from '../token/tokenStore.ts';
import type { Activity } from './activityStore.ts';
import type { Touched } from './touched.ts';

export interface DiscoveryPorts {
  readonly chainId: number;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly tokenReader: TokenReader;
  readonly poolReader: PoolReader;
  /** Contracts known to create pools; null if none is. */
  readonly factories: ReadonlySet<Hex> | null;
  readonly logger: Logger;
  /** Contracts cached of each kind; more than one batch contains. */
  readonly rememberedMax?: number;
  readonly caches?: CacheMeters | undefined;
}

/** Finds the tokens behind facts: known ones in the store, new ones on the chain. */
export interface Discovery {
  /** Stores new tokens and returns every token whose verdict is due. */
  discover(touched: Touched, epoch: number): Promise<Activity[]>;
  /** Clears the caches: a reorg may have removed what they contain. */
  forget(): void;
}

/**
 * The sightings worth examining. A pool sends ERC-20 transfers of its shares, but is not offered as a token until a
 * market trades it.
 */
const sightsOf = (
  { firstSeen, listed }: Touched,
  isPool: (contract: Hex) => boolean,
  isOffered: (contract: Hex) => boolean,
): Touched['firstSeen'] => {
  const traded = [...listed].filter(([token]) => isPool(token));
  const own = [...firstSeen].filter(([contract]) => isOffered(contract));
  return new Map([...traded.map(([token, sight]) => [token, [sight]] as const), ...own]);
};

export const createDiscovery = (ports: DiscoveryPorts): Discovery => {
  const { caches } = ports;
  const pools = createPoolDirectory({ ...ports, meter: caches?.('known_pools') });
  /**
   * Tokens traded in markets, in this batch: such a contract is judged even if it answers like a pool, or a token
   * could hide by doing so. Once stored it remains a token.
   */
  let traded: ReadonlySet<Hex> = new Set();
  const isOffered = (contract: Hex): boolean => traded.has(contract) || !pools.get(contract);
  const tokens = createTokenDirectory({
    ...ports,
    meter: caches?.('known_tokens'),
    // A pool may send transfers of its shares long before any of its events are seen.
    withoutPools: async (contracts, epoch) => {
      await pools.adopt(
        contracts.filter((contract) => !traded.has(contract)),
        epoch,
      );
      return new Set(contracts.filter(isOffered));
    },
  });

  const tokensOf = (pool: Hex): Hex[] => {
    const known = pools.get(pool);
    return known ? [known.token0, known.token1] : [];
  };

  /** Every touched token, with the highest block that touched it. */
  const lastBlocksOf = (touched: Touched): Map<Hex, number> => {
    const lastBlocks = new Map<Hex, number>();
    const touch = (token: Hex, block: number): void => {
      if (!tokens.has(token)) return;
      lastBlocks.set(token, Math.max(block, lastBlocks.get(token) ?? 0));
    };
    for (const { token, blockNumber } of [...touched.firstSeen.values()].flat()) {
      touch(token, blockNumber);
    }
    for (const [contract, block] of touched.contracts) {
      touch(contract, block);
      // Transfers of a pool's shares lock, burn or pass on liquidity.
      for (const token of tokensOf(contract)) touch(token, block);
    }
    for (const [pool, block] of touched.pools) {
      for (const token of tokensOf(pool)) touch(token, block);
    }
    return lastBlocks;
  };

  return {
    discover: async (touched, epoch) => {
      await pools.resolve(touched, epoch);
      const actors = [...touched.contracts.keys()];
      const named = [...actors, ...touched.listed.keys()];
      await pools.recall(named.filter((one) => !tokens.has(one)));
      traded = new Set([...[...touched.pools.keys()].flatMap(tokensOf), ...touched.listed.keys()]);
      const seen = [...touched.firstSeen.keys(), ...actors, ...actors.flatMap(tokensOf), ...traded];
      const isPool = (contract: Hex): boolean => pools.get(contract) !== undefined;
      const sights = sightsOf(touched, isPool, isOffered);
      await tokens.resolve([...new Set(seen)], sights, epoch);
      return [...lastBlocksOf(touched)].map(([token, block]) => ({
        token,
        position: chainPosition(epoch, block),
      }));
    },
    forget: () => {
      pools.forget();
      tokens.forget();
    },
  };
};
