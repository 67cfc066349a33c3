import type { HorizonStore } from '../../../pipeline/scorer/horizon/horizonStore.ts';
import { HORIZONS_S, type Horizon } from '../../../pipeline/scorer/horizon/horizons.ts';
import type { Hex } from '../../chain/block.ts';
import { factVersion, tombstoneVersion } from '../../chain/version.ts';
import type { BirthRow, Database } from './database.ts';
import type { Statement } from './fakeFactStores.ts';

/** The first Sync of a pool that was seen being created. */
const birthOf = ({ facts }: Database, pool: Hex): BirthRow | undefined => {
  const created = facts.fact_pools
    .final()
    .flatMap(({ fact }) => (fact.kind === 'pairCreated' && fact.pool === pool ? [fact] : []))[0];
  const first = facts.fact_pool_events
    .final()
    .filter(({ fact }) => fact.kind === 'sync' && fact.pool === pool)
    .toSorted((a, b) => a.block.number - b.block.number)[0];
  if (!created || !first) return undefined;
  const { token0, token1 } = created;
  return { pool, token0, token1, block: first.block };
};

const horizonsOf = (
  { pool, token0, token1, block }: BirthRow,
  bases: readonly Hex[],
): Horizon[] => {
  const sides = [
    { token: token0, other: token1 },
    { token: token1, other: token0 },
  ].filter(({ other }) => bases.includes(other));
  return sides.flatMap(({ token }) =>
    HORIZONS_S.map((horizonS) => {
      return { token, pool, horizonS, atS: block.timestampS + horizonS };
    }),
  );
};

/** The births of the database, and how far horizons are scored. */
export const createFakeHorizonStore = (database: Database, run: Statement): HorizonStore => ({
  recordFirstSyncs: async (_chainId, pools, epoch) => {
    if (pools.length === 0) return;
    await run(() => {
      const known = new Set(database.births.final().map(({ pool }) => pool));
      const unborn = pools.filter((pool) => !known.has(pool));
      const rows = unborn.flatMap((pool) => birthOf(database, pool) ?? []);
      const version = factVersion(epoch);
      database.births.insert(rows.map((row) => ({ ...row, version, isDeleted: false })));
    });
  },
  insertFirstSyncTombstones: ({ orphaned, ancestor, epoch }) =>
    run(() => {
      const hashes = new Set(orphaned.map(({ hash }) => hash));
      const gone = database.births
        .final()
        .filter(({ block }) => block.number > ancestor.number && hashes.has(block.hash));
      const version = tombstoneVersion(epoch);
      database.births.insert(gone.map((row) => ({ ...row, version, isDeleted: true })));
    }),
  earliestFirstSync: () =>
    run(
      () =>
        database.births
          .final()
          .map(({ block }) => block.timestampS)
          .toSorted((a, b) => a - b)[0],
    ),
  between: ({ bases, span, limit }) =>
    run(() => {
      const all = database.births
        .final()
        .flatMap((birth) => horizonsOf(birth, bases))
        .filter(({ atS }) => atS > span.afterS && atS <= span.untilS)
        .toSorted((a, b) => a.atS - b.atS);
      const last = all[limit - 1];
      return last ? all.filter(({ atS }) => atS <= last.atS) : all;
    }),
  scoredUntil: () => run(() => database.horizonProgress.final()[0]?.scoredUntilS),
  saveScoredUntil: (chainId, scoredUntilS, updatedAtMs) =>
    run(() =>
      database.horizonProgress.insert([
        { chainId, scoredUntilS, version: updatedAtMs, isDeleted: false },
      ]),
    ),
});
