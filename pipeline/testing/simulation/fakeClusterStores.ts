import type { Hex } from '../../../shared/chain/block.ts';
import { chainPosition, factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import type { ChainIndex } from '../../clusters/chainIndex.ts';
import type { IndexedCreation } from '../../clusters/facts/creations.ts';
import type { BlockGraph } from '../../clusters/facts/graphFact.ts';
import type { GraphStore } from '../../clusters/graph/graphStore.ts';
import type { RingStore } from '../../clusters/rings/ringStore.ts';
import type { LossStore } from '../../clusters/wallets/lossStore.ts';
import type { WalletReader } from '../../clusters/wallets/walletReader.ts';
import type { WalletStore } from '../../clusters/wallets/walletStore.ts';
import type { Database, GraphRow, NeighbourRow } from './database.ts';
import type { Statement } from './fakeFactStores.ts';

/** Rows per page when the graph is read again. */
const BLOCKS_PER_PAGE = 9;

const blocksOf = (rows: readonly GraphRow[]): BlockGraph[] => {
  const blocks = new Map<Hex, BlockGraph & { readonly facts: GraphRow['fact'][] }>();
  for (const { block, fact } of rows) {
    const known = blocks.get(block.hash) ?? { ...block, facts: [] };
    blocks.set(block.hash, known);
    known.facts.push(fact);
  }
  return [...blocks.values()].toSorted((a, b) => a.number - b.number);
};

/** The edge that a graph fact implies. */
export const movementOf = ({ block, fact }: GraphRow): NeighbourRow => ({
  source: 'movement',
  kind: fact.kind,
  from: fact.from,
  to: fact.to,
  block,
  place: fact.place,
});

/** The graph facts of the database and their edges: written table by table, so a crash may occur in between. */
export const createFakeGraphStore = (database: Database, run: Statement): GraphStore => {
  const { graphFacts, neighbours, clusterProgress } = database;
  const rowsOf = (blocks: readonly BlockGraph[], epoch: number) =>
    blocks.flatMap(({ facts, ...block }) =>
      facts.map((fact) => ({ block, fact, version: factVersion(epoch), isDeleted: false })),
    );
  const insertEdges = (rows: ReturnType<typeof rowsOf>): Promise<void> =>
    run(() => neighbours.insert(rows.map((row) => ({ ...row, ...movementOf(row) }))));
  return {
    insert: async (blocks, epoch) => {
      const rows = rowsOf(blocks, epoch);
      await run(() => graphFacts.insert(rows));
      await insertEdges(rows);
    },
    insertEdges: (blocks, epoch) => insertEdges(rowsOf(blocks, epoch)),
    insertTombstones: async ({ epoch, ancestor, orphaned }) => {
      const hashes = new Set(orphaned.map(({ hash }) => hash));
      const gone = () =>
        graphFacts
          .final()
          .filter(({ block }) => block.number > ancestor.number && hashes.has(block.hash))
          .map((row) => ({ ...row, version: tombstoneVersion(epoch), isDeleted: true }));
      await run(() => neighbours.insert(gone().map((row) => ({ ...row, ...movementOf(row) }))));
      await run(() => graphFacts.insert(gone()));
    },
    blocksUpTo: async function* (height) {
      const all = await run(() =>
        blocksOf(graphFacts.final().filter(({ block }) => block.number <= height)),
      );
      for (const page of slicesOf(all, BLOCKS_PER_PAGE)) yield await run(() => page);
    },
    tombstonesOf: ({ epoch, ancestor }) =>
      run(() => {
        const version = tombstoneVersion(epoch);
        const deleted = graphFacts.raw().filter((row) => row.version === version);
        return blocksOf(deleted.filter(({ block }) => block.number > ancestor.number));
      }),
    saveProgress: (progress, version) =>
      run(() => clusterProgress.insert([{ ...progress, version, isDeleted: false }])),
    progress: () => run(() => clusterProgress.final()[0]),
  };
};

/** The scorer's data, as the clusters role reads it. */
export const createFakeChainIndex = (database: Database, run: Statement): ChainIndex => ({
  position: () =>
    run(() => {
      const progress = database.progress.final()[0];
      return progress ? chainPosition(progress.epoch, progress.block.number) : 0;
    }),
  creations: (tokens) =>
    run(() =>
      database.tokens
        .final()
        .filter(({ token }) => tokens.includes(token))
        .flatMap((record): IndexedCreation[] => {
          const { token, creator, creatorSource, codeHash } = record;
          if (!creator) return [];
          return [
            {
              token,
              creator,
              source: creatorSource,
              block: { number: record.createdBlock, hash: record.createdBlockHash },
              atS: record.createdAtS,
              txHash: record.createdTx,
              codeHash,
            },
          ];
        }),
    ),
  verdicts: (tokens) =>
    run(
      () =>
        new Map(
          database.tokenVerdicts
            .final()
            .filter(({ token }) => tokens.includes(token))
            .map(({ token, verdict }) => [token, verdict.prediction === 'SCAM']),
        ),
    ),
  scams: () =>
    run(() =>
      database.tokenVerdicts
        .final()
        .filter(({ verdict }) => verdict.prediction === 'SCAM')
        .map(({ token }) => token),
    ),
});

/** The rings of the database. */
export const createFakeRingStore = (database: Database, run: Statement): RingStore => {
  const { rings, wallets } = database;
  return {
    read: (ids) =>
      run(() => {
        const found = rings.final().filter(({ id }) => ids.includes(id));
        return new Map(
          found.map(({ version: _version, isDeleted: _isDeleted, ...ring }) => [ring.id, ring]),
        );
      }),
    living: () =>
      run(() =>
        rings
          .final()
          .filter(({ mergedInto }) => mergedInto === '')
          .map(({ id, members }) => ({ id, wallets: members.map(({ wallet }) => wallet) })),
      ),
    formerRing: (some, id) =>
      run(() => {
        const counts = new Map<string, number>();
        for (const { wallet, clusterId } of wallets.final()) {
          if (!some.includes(wallet) || clusterId === '' || clusterId === id) continue;
          counts.set(clusterId, (counts.get(clusterId) ?? 0) + 1);
        }
        const most = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
        return most[0]?.[0] ?? null;
      }),
    write: (changed, version) =>
      run(() => rings.insert(changed.map((ring) => ({ ...ring, version })))),
    lastVersion: () =>
      run(() => {
        const versions = [...rings.raw(), ...wallets.raw(), ...database.clusterProgress.raw()];
        return versions.reduce((last, { version }) => Math.max(last, version), 0);
      }),
  };
};

const NO_LOSSES: LossStore = {
  markets: async (tokens) => tokens.map((token) => ({ token, traders: [], peak: 0, drain: null })),
  read: async () => new Map(),
  write: async () => undefined,
};

/** Wallets from the database with their rings and numbers of movements, the only values compared here. */
export const createFakeWallets = (
  database: Database,
  run: Statement,
): { losses: LossStore; reader: WalletReader; wallets: WalletStore } => ({
  losses: NO_LOSSES,
  reader: {
    movements: (some) =>
      run(() => {
        const rows = database.graphFacts.final();
        const of = (wallet: Hex) =>
          rows.flatMap(({ block, fact }) => {
            if (fact.from !== wallet && fact.to !== wallet) return [];
            const isOut = fact.from === wallet;
            const at = { firstS: block.timestampS, lastS: block.timestampS };
            return [
              {
                direction: isOut ? ('out' as const) : ('in' as const),
                kind: fact.kind,
                other: isOut ? fact.to : fact.from,
                count: 1,
                value: fact.value,
                ...at,
                firstBlock: block.number,
                firstPlace: fact.place,
                firstTx: fact.txHash,
              },
            ];
          });
        return new Map(some.map((wallet) => [wallet, of(wallet)]));
      }),
    made: async () => new Map(),
    records: async () => new Map(),
    launches: async () => new Map(),
    activity: async () => new Map(),
    buyers: async () => [],
    known: () =>
      run(() => database.wallets.final().map(({ wallet, clusterId }) => ({ wallet, clusterId }))),
  },
  wallets: {
    write: (writes, version) =>
      run(() =>
        database.wallets.insert(
          writes.map(({ wallet, row }) => {
            const clusterId = row?.clusterId ?? '';
            return { wallet, clusterId, version, isDeleted: row === undefined };
          }),
        ),
      ),
  },
});
