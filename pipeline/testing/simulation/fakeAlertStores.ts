import type { Hex } from '../../../shared/chain/block.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import { factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import { timeOfId } from '../../alerts/alertId.ts';
import type { IndexReader } from '../../alerts/indexReader.ts';
import { knownPool } from '../../alerts/pools/marketStates.ts';
import type { AlertStore } from '../../alerts/raise/alertStore.ts';
import type { KeptAlert, StoredAlert } from '../../alerts/raise/decideAlerts.ts';
import { TYPES_OF_MESSAGES } from '../../alerts/rules/allRules.ts';
import type { HorizonStore } from '../../scorer/horizon/horizonStore.ts';
import { HORIZONS_S, type Horizon } from '../../scorer/horizon/horizons.ts';
import type { Database, FirstSyncRow, ReplacingTable } from './database.ts';
import type { Statement } from './fakeFactStores.ts';

/** The newest row of each alert, withdrawn ones included. */
const newest = (alerts: ReplacingTable<KeptAlert>): StoredAlert[] => {
  const rows = new Map<string, StoredAlert>();
  for (const { isDeleted: isWithdrawn, ...row } of alerts.raw()) {
    const key = `${row.alert.family}:${row.alert.id}`;
    if (row.version >= (rows.get(key)?.version ?? -1)) rows.set(key, { ...row, isWithdrawn });
  }
  return [...rows.values()];
};

/** The alerts of the database. */
export const createFakeAlertStore = (
  { alerts: table }: Pick<Database, 'alerts'>,
  run: Statement,
): AlertStore => {
  const write = async (alerts: readonly KeptAlert[], version: number, isDeleted: boolean) => {
    if (alerts.length === 0) return;
    await run(() => table.insert(alerts.map((kept) => ({ ...kept, version, isDeleted }))));
  };
  return {
    recent: (families, { fromS, toS }, only) =>
      run(() =>
        newest(table).filter(({ alert }) => {
          const atS = timeOfId(alert.id);
          const isAsked = !only || atS >= only.allFromS || only.watchIds.includes(alert.watchId);
          return isAsked && families.includes(alert.family) && atS >= fromS && atS <= toS;
        }),
      ),
    raise: (alerts, epoch) => write(alerts, factVersion(epoch), false),
    onOrphaned: ({ epoch, ancestor, orphaned }) =>
      run(() => {
        const hashes = new Set(orphaned.map(({ hash }) => hash));
        const version = tombstoneVersion(epoch);
        return newest(table)
          .filter(({ alert }) => alert.blockNumber > ancestor.number && hashes.has(alert.blockHash))
          .filter((row) => row.version <= version && (!row.isWithdrawn || row.version === version));
      }),
    onRestored: (blocks, { epoch }) =>
      run(() =>
        newest(table).filter(
          ({ alert, isWithdrawn, version }) =>
            blocks.includes(alert.blockHash) &&
            TYPES_OF_MESSAGES.includes(alert.type) &&
            (isWithdrawn || version === factVersion(epoch)),
        ),
      ),
    withdraw: (alerts, { epoch }) => write(alerts, tombstoneVersion(epoch), true),
  };
};

/** The index of the database, as the alerts role reads it. */
export const createFakeIndexReader = (database: Database, run: Statement): IndexReader => ({
  pools: async (pools, beforeBlock) => {
    const [known, reserves] = await Promise.all([
      run(() =>
        database.pools.final().filter(({ tokenIs0, pool }) => tokenIs0 && pools.includes(pool)),
      ),
      run(() => reservesOf(database, pools, beforeBlock)),
    ]);
    return known.map(({ pool, token, otherToken }) =>
      knownPool(pool, [token, otherToken], reserves.get(pool) ?? null),
    );
  },
  profiles: (tokens) =>
    run(() =>
      database.tokens
        .final()
        .filter(({ token }) => tokens.includes(token))
        .map(({ token, name, symbol, creator, createdTx, totalSupply }) => ({
          token,
          name,
          symbol,
          creator,
          createdTx,
          totalSupply: totalSupply === null ? null : Number(totalSupply),
        })),
    ),
  decimals: async () => new Map(),
  // The simulation's scorer simulates no trades.
  taxes: async () => undefined,
});

const reservesOf = (database: Database, pools: readonly Hex[], beforeBlock: number) => {
  const last = new Map<Hex, { at: number; log: number; amount0: number; amount1: number }>();
  for (const { block, fact } of database.facts.fact_pool_events.final()) {
    if (fact.kind !== 'sync' || block.number >= beforeBlock || !pools.includes(fact.pool)) continue;
    const known = last.get(fact.pool);
    const isLater =
      !known || block.number > known.at || (block.number === known.at && fact.logIndex > known.log);
    if (!isLater) continue;
    const amounts = { amount0: Number(fact.reserve0), amount1: Number(fact.reserve1) };
    last.set(fact.pool, { at: block.number, log: fact.logIndex, ...amounts });
  }
  return new Map(
    [...last].map(([pool, { amount0, amount1 }]) => [pool, { amount0, amount1 }] as const),
  );
};

/** The first Sync of a pool whose creation was seen. */
const firstSyncOf = ({ facts }: Database, pool: Hex): FirstSyncRow | undefined => {
  const created = facts.fact_markets
    .final()
    .flatMap(({ fact }) => (fact.kind === 'poolCreated' && fact.pool === pool ? [fact] : []))
    .find((fact) => !isOtherMarket(fact));
  const first = facts.fact_pool_events
    .final()
    .filter(({ fact }) => fact.kind === 'sync' && fact.pool === pool)
    .toSorted((a, b) => a.block.number - b.block.number)[0];
  if (!created || !first) return undefined;
  const { token0, token1 } = created;
  return { pool, token0, token1, block: first.block };
};

const horizonsOf = ({ token0, token1, block }: FirstSyncRow, bases: readonly Hex[]): Horizon[] => {
  const sides = [
    { token: token0, other: token1 },
    { token: token1, other: token0 },
  ].filter(({ other }) => bases.includes(other));
  return sides.flatMap(({ token }) =>
    HORIZONS_S.map((horizonS) => {
      return { token, horizonS, atS: block.timestampS + horizonS };
    }),
  );
};

/** The first Syncs of the database, and the progress of horizons. */
export const createFakeHorizonStore = (database: Database, run: Statement): HorizonStore => ({
  recordFirstSyncs: async (_chainId, pools, epoch) => {
    if (pools.length === 0) return;
    await run(() => {
      const known = new Set(database.firstSyncs.final().map(({ pool }) => pool));
      const unborn = pools.filter((pool) => !known.has(pool));
      const rows = unborn.flatMap((pool) => firstSyncOf(database, pool) ?? []);
      const version = factVersion(epoch);
      database.firstSyncs.insert(rows.map((row) => ({ ...row, version, isDeleted: false })));
    });
  },
  // The simulated chain has Uniswap V2 pools only.
  recordCreations: () => Promise.resolve(),
  insertStartTombstones: ({ orphaned, ancestor, epoch }) =>
    run(() => {
      const hashes = new Set(orphaned.map(({ hash }) => hash));
      const gone = database.firstSyncs
        .final()
        .filter(({ block }) => block.number > ancestor.number && hashes.has(block.hash));
      const version = tombstoneVersion(epoch);
      database.firstSyncs.insert(gone.map((row) => ({ ...row, version, isDeleted: true })));
    }),
  earliestStart: () =>
    run(
      () =>
        database.firstSyncs
          .final()
          .map(({ block }) => block.timestampS)
          .toSorted((a, b) => a - b)[0],
    ),
  between: ({ bases, span, limit }) =>
    run(() => {
      const all = database.firstSyncs
        .final()
        .flatMap((one) => horizonsOf(one, bases))
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
