import { timeOfId } from '../../../pipeline/alerts/alertId.ts';
import type { IndexReader } from '../../../pipeline/alerts/indexReader.ts';
import type { KnownPool } from '../../../pipeline/alerts/pools/poolStates.ts';
import type { AlertStore } from '../../../pipeline/alerts/raise/alertStore.ts';
import type { Hex } from '../../chain/block.ts';
import { factVersion, tombstoneVersion } from '../../chain/version.ts';
import type { Alert } from '../../messages/alertMessage.ts';
import type { Database } from './database.ts';
import type { Statement } from './fakeFactStores.ts';
import type { Versioned } from './replacingTable.ts';

/** The newest row of each alert, withdrawn ones included. */
const newest = (database: Database): (Alert & Versioned)[] => {
  const rows = new Map<string, Alert & Versioned>();
  for (const row of database.alerts.raw()) {
    const key = `${row.family}:${row.id}`;
    if (row.version >= (rows.get(key)?.version ?? -1)) rows.set(key, row);
  }
  return [...rows.values()];
};
const alertOf = ({
  version: _version,
  isDeleted: _isDeleted,
  ...alert
}: Alert & Versioned): Alert => alert;

/** The alerts of the database. */
export const createFakeAlertStore = (database: Database, run: Statement): AlertStore => ({
  recent: (families, { fromS, toS }) =>
    run(() =>
      newest(database)
        .filter(({ family }) => families.includes(family))
        .filter(({ id }) => timeOfId(id) >= fromS && timeOfId(id) <= toS)
        .map((row) => ({
          alert: alertOf(row),
          isQuiet: false,
          version: row.version,
          isWithdrawn: row.isDeleted,
        })),
    ),
  raise: async (alerts, epoch) => {
    if (alerts.length === 0) return;
    await run(() =>
      database.alerts.insert(
        alerts.map(({ alert }) => ({ ...alert, version: factVersion(epoch), isDeleted: false })),
      ),
    );
  },
  onOrphaned: ({ epoch, ancestor, orphaned }) =>
    run(() => {
      const hashes = new Set(orphaned.map(({ hash }) => hash));
      const version = tombstoneVersion(epoch);
      return newest(database)
        .filter((row) => row.blockNumber > ancestor.number && hashes.has(row.blockHash))
        .filter((row) => row.version <= version && (!row.isDeleted || row.version === version))
        .map((row) => ({ alert: alertOf(row), isQuiet: false }));
    }),
  // The simulation has neither changes of verdicts nor rings.
  onRestored: () => run(() => []),
  withdraw: async (alerts, { epoch }) => {
    if (alerts.length === 0) return;
    const version = tombstoneVersion(epoch);
    await run(() =>
      database.alerts.insert(alerts.map(({ alert }) => ({ ...alert, version, isDeleted: true }))),
    );
  },
});

/** The index of the database, as the alerts role asks it. */
export const createFakeIndexReader = (database: Database, run: Statement): IndexReader => ({
  pools: async (pools, beforeBlock) => {
    const [known, reserves] = await Promise.all([
      run(() =>
        database.pools.final().filter(({ tokenIs0, pool }) => tokenIs0 && pools.includes(pool)),
      ),
      run(() => reservesOf(database, pools, beforeBlock)),
    ]);
    return known.map(
      ({ pool, token, otherToken }): KnownPool => ({
        pool,
        token0: token,
        token1: otherToken,
        reserves: reserves.get(pool) ?? null,
      }),
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
