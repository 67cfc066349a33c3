import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import { chainPosition, factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import type { ActivityStore } from '../../scorer/ingest/activityStore.ts';
import {
  FACT_TABLES,
  type FactStore,
  type FactTable,
  tableOf,
} from '../../scorer/ingest/factStore.ts';
import type { Pool, PoolStore } from '../../scorer/pool/poolStore.ts';
import type { TokenRecord } from '../../scorer/token/confirmToken.ts';
import type { TokenStore } from '../../scorer/token/tokenStore.ts';
import type {
  Database,
  FactRow,
  NeighbourRow,
  PoolSideRow,
  ReplacingTable,
  Versioned,
} from './database.ts';

/** Runs one database statement with all possible failures around it. */
export type Statement = <T>(effect: () => T) => Promise<T>;

const isOrphaned = ({ orphaned, ancestor }: ReorgEvent) => {
  const hashes = new Set<Hex>(orphaned.map(({ hash }) => hash));
  return (number: number, hash: Hex): boolean => number > ancestor.number && hashes.has(hash);
};
const tombstone = <R extends Versioned>(row: R, version: number): R => ({
  ...row,
  version,
  isDeleted: true,
});

/** Rows that imply edges are written after them, table by table: a crash may occur in between. */
const withEdges = <R extends object>(
  neighbours: Database['neighbours'],
  table: ReplacingTable<R>,
  edgeOf: (row: R) => NeighbourRow,
  run: Statement,
) => ({
  insert: async (rows: readonly R[], epoch: number): Promise<void> => {
    const written = { version: factVersion(epoch), isDeleted: false };
    await run(() => neighbours.insert(rows.map((row) => ({ ...edgeOf(row), ...written }))));
    await run(() => table.insert(rows.map((row) => ({ ...row, ...written }))));
  },
  insertTombstones: async (reorg: ReorgEvent, blockOf: (row: R) => [number, Hex]) => {
    const isGone = isOrphaned(reorg);
    const version = tombstoneVersion(reorg.epoch);
    const gone = () => table.final().filter((row) => isGone(...blockOf(row)));
    await run(() =>
      neighbours.insert(gone().map((row) => ({ ...edgeOf(row), version, isDeleted: true }))),
    );
    await run(() => table.insert(gone().map((row) => tombstone(row, version))));
  },
});

/** The facts of the database. Tables are written one by one: a crash may occur in between. */
export const createFakeFactStore = ({ facts }: Database, run: Statement): FactStore => ({
  insert: async (events) => {
    const rows = new Map<FactTable, (FactRow & Versioned)[]>();
    for (const event of events) {
      for (const { facts: list, ...block } of event.blocks) {
        for (const fact of list) {
          const table = tableOf(fact);
          if (!table) continue;
          const row = { block, fact, version: factVersion(event.epoch), isDeleted: false };
          rows.set(table, [...(rows.get(table) ?? []), row]);
        }
      }
    }
    await Promise.all([...rows].map(([table, list]) => run(() => facts[table].insert(list))));
  },
  insertTombstones: async (reorg) => {
    const isGone = isOrphaned(reorg);
    const version = tombstoneVersion(reorg.epoch);
    await Promise.all(
      FACT_TABLES.map((table) =>
        run(() => {
          const gone = facts[table].final().filter(({ block }) => isGone(block.number, block.hash));
          facts[table].insert(gone.map((row) => tombstone(row, version)));
        }),
      ),
    );
  },
});

/** The edge that a token implies. */
export const creationOf = (record: Pick<TokenRecord, 'creator' | 'token'>): NeighbourRow => ({
  source: 'token',
  kind: 'created',
  from: record.creator,
  to: record.token,
});

/** The tokens of the database, and their creators. */
export const createFakeTokenStore = (
  { tokens, neighbours }: Database,
  run: Statement,
): TokenStore => {
  const { insert, insertTombstones } = withEdges(neighbours, tokens, creationOf, run);
  return {
    known: (_chainId, addresses) =>
      run(() => {
        const all = new Set(tokens.final().map(({ token }) => token));
        return new Set(addresses.filter((address) => all.has(address)));
      }),
    namesOf: (_chainId, address) =>
      run(() => tokens.final().find(({ token }) => token === address)),
    insert,
    insertTombstones: (reorg) =>
      insertTombstones(reorg, ({ createdBlock, createdBlockHash }) => [
        createdBlock,
        createdBlockHash,
      ]),
  };
};

const sidesOf = ({ pool, token0, token1, created }: Pool): PoolSideRow[] => {
  const rest = {
    pool,
    createdBlock: created?.blockNumber ?? 0,
    createdBlockHash: created?.blockHash ?? ZERO_HASH,
  };
  return [
    { token: token0, otherToken: token1, tokenIs0: true, ...rest },
    { token: token1, otherToken: token0, tokenIs0: false, ...rest },
  ];
};

/** The edge that a pool and one of its tokens imply. */
export const holdingOf = ({ pool, token }: Pick<PoolSideRow, 'pool' | 'token'>): NeighbourRow => ({
  source: 'pool',
  kind: 'holds',
  from: pool,
  to: token,
});

/** The pools of the database, and their tokens. */
export const createFakePoolStore = (
  { pools: table, neighbours }: Database,
  run: Statement,
): PoolStore => {
  const { insert, insertTombstones } = withEdges(neighbours, table, holdingOf, run);
  return {
    find: (_chainId, pools) =>
      run(() =>
        table
          .final()
          .filter(({ tokenIs0, pool }) => tokenIs0 && pools.includes(pool))
          .map(({ pool, token, otherToken }) => ({ pool, token0: token, token1: otherToken })),
      ),
    insert: (_chainId, pools, epoch) => insert(pools.flatMap(sidesOf), epoch),
    factories: async () => [],
    insertTombstones: (reorg) =>
      insertTombstones(reorg, ({ createdBlock, createdBlockHash }) => [
        createdBlock,
        createdBlockHash,
      ]),
  };
};

/** Tokens that lost facts in the reorg. */
const touchedBy = (database: Database, { epoch, ancestor }: ReorgEvent): Set<Hex> => {
  const version = tombstoneVersion(epoch);
  const deleted = (table: FactTable): FactRow[] =>
    database.facts[table]
      .raw()
      .filter((row) => row.version === version && row.block.number > ancestor.number);
  const touched = new Set<Hex>();
  for (const { fact } of [...deleted('fact_transfers'), ...deleted('fact_failed_sales')]) {
    if (fact.kind === 'transfer' || fact.kind === 'failedSale') touched.add(fact.token);
  }
  for (const { fact } of deleted('fact_ownership_transfers')) {
    if (fact.kind === 'ownershipTransferred') touched.add(fact.contract);
  }
  for (const row of database.tokens.raw()) {
    if (row.version === version && row.createdBlock > ancestor.number) touched.add(row.token);
  }
  const events = [...deleted('fact_pool_events'), ...deleted('fact_markets')].map(
    ({ fact }) => fact,
  );
  const ofUniswapV2 = events.filter((fact) => !isOtherMarket(fact));
  const pools = new Set(ofUniswapV2.flatMap((fact) => ('pool' in fact ? [fact.pool] : [])));
  for (const { pool, token } of database.pools.raw()) if (pools.has(pool)) touched.add(token);
  return touched;
};

/** The activity and the progress of the database. */
export const createFakeActivityStore = (database: Database, run: Statement): ActivityStore => {
  return {
    record: async (_chainId, activities) => {
      if (activities.length === 0) return;
      await run(() =>
        database.activity.insert(
          activities.map((row) => ({ ...row, version: row.position, isDeleted: false })),
        ),
      );
    },
    due: (_chainId, limit) =>
      run(() => {
        const judged = new Map(
          database.tokenVerdicts.final().map((row) => [row.token, row.version]),
        );
        const known = new Set(database.tokens.final().map(({ token }) => token));
        return database.activity
          .final()
          .filter(({ token, position }) => position > (judged.get(token) ?? 0))
          .filter(({ token }) => judged.has(token) || known.has(token))
          .toSorted((a, b) => a.position - b.position)
          .slice(0, limit)
          .map(({ token, position }) => ({ token, position }));
      }),
    touchedByReorg: (reorg) =>
      run(() => {
        const position = chainPosition(reorg.epoch, reorg.ancestor.number);
        return [...touchedBy(database, reorg)].map((token) => ({ token, position }));
      }),
    saveProgress: (next) =>
      run(() => {
        const version = chainPosition(next.epoch, next.block.number);
        database.progress.insert([{ ...next, version, isDeleted: false }]);
      }),
    progress: () =>
      run(() => {
        const [row] = database.progress.final();
        if (!row) return undefined;
        const { version: _version, isDeleted: _isDeleted, ...progress } = row;
        return progress;
      }),
  };
};
