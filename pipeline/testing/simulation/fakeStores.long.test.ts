import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { chainPosition } from '../../../shared/chain/version.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import { type Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createRandom, type Random } from '../../../shared/testing/random.ts';
import { sampleAlert } from '../../../shared/testing/samples.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { createIndexReader, type IndexReader } from '../../alerts/indexReader.ts';
import { type AlertStore, createAlertStore } from '../../alerts/raise/alertStore.ts';
import { createFeatureStore, type FeatureStore } from '../../scorer/features/featureStore.ts';
import { createHorizonStore, type HorizonStore } from '../../scorer/horizon/horizonStore.ts';
import {
  type ActivityStore,
  createActivityStore,
  type Progress,
} from '../../scorer/ingest/activityStore.ts';
import { createFactStore, type FactStore } from '../../scorer/ingest/factStore.ts';
import { createPoolStore, type PoolStore } from '../../scorer/pool/poolStore.ts';
import { NO_CACHE } from '../../scorer/readCache.ts';
import { createTokenStore, type TokenStore } from '../../scorer/token/tokenStore.ts';
import { createVerdictStore, type VerdictStore } from '../../scorer/verdict/verdictStore.ts';
import { rangeOfBlocks } from '../../watcher/blockRange.ts';
import { sampleToken } from '../sampleToken.ts';
import { createDatabase } from './database.ts';
import {
  createFakeAlertStore,
  createFakeHorizonStore,
  createFakeIndexReader,
} from './fakeAlertStores.ts';
import {
  createFakeActivityStore,
  createFakeFactStore,
  createFakePoolStore,
  createFakeTokenStore,
  type Statement,
} from './fakeFactStores.ts';
import { createFakeFeatureStore, createFakeVerdictStore } from './fakeVerdictStores.ts';
import { CHAIN_ID, createProgramme, HOLDERS, POOLS, TOKENS, WETH } from './programme.ts';

/** Runs of random statements on both, which must give the same answers. */
const SEEDS = [1, 2, 3, 4, 5, 6];
const ROUNDS = 40;
const ALL = 1_000_000;

/** All stores over one database. */
interface Stores {
  readonly facts: FactStore;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly activity: ActivityStore;
  readonly verdicts: VerdictStore;
  readonly features: FeatureStore;
  readonly horizons: HorizonStore;
  readonly alerts: AlertStore;
  readonly index: IndexReader;
}

const realStores = (clickhouse: Clickhouse): Stores => ({
  facts: createFactStore(clickhouse),
  tokens: createTokenStore(clickhouse),
  pools: createPoolStore(clickhouse),
  activity: createActivityStore(clickhouse),
  verdicts: createVerdictStore(clickhouse),
  features: createFeatureStore(clickhouse),
  horizons: createHorizonStore(clickhouse),
  alerts: createAlertStore(clickhouse),
  index: createIndexReader(clickhouse, CHAIN_ID),
});

const fakeStores = (merges: boolean): Stores => {
  const database = createDatabase(merges);
  const run: Statement = async (effect) => effect();
  return {
    facts: createFakeFactStore(database, run),
    tokens: createFakeTokenStore(database, run),
    pools: createFakePoolStore(database, run),
    activity: createFakeActivityStore(database, run),
    verdicts: createFakeVerdictStore(database, run),
    features: createFakeFeatureStore(database, run),
    horizons: createFakeHorizonStore(database, run),
    alerts: createFakeAlertStore(database, run),
    index: createFakeIndexReader(database, run),
  };
};

const ADDRESSES: readonly Hex[] = TOKENS.map(({ address }) => address);
const POOL_ADDRESSES: readonly Hex[] = POOLS.map(({ address }) => address);

/** Random statements on a random chain: epochs may repeat and be out of order. */
const createScript = (random: Random) => {
  const programme = createProgramme(random);
  const blocks = () => rangeOfBlocks(programme.chain.canonical().slice(1)).blocks;
  const some = <T>(values: readonly T[]): T[] => values.filter(() => random.oneIn(2));
  const event = (): BlocksEvent => {
    const chosen = some(blocks());
    const to = programme.chain.head();
    const rest = { chunk: 0, last: true, head: to.number, readAtMs: 0, from: 1, to };
    return { kind: 'blocks', chainId: CHAIN_ID, epoch: random.below(4), blocks: chosen, ...rest };
  };
  const reorg = (): ReorgEvent => {
    const at = random.below(programme.chain.head().number);
    const orphaned = programme.chain
      .canonical()
      .slice(at + 1)
      .map(({ header: { number, hash } }) => ({ number, hash }));
    const ancestor = programme.chain.block(at)?.header ?? programme.chain.head();
    return { kind: 'reorg', chainId: CHAIN_ID, epoch: 1 + random.below(4), ancestor, orphaned };
  };
  const place = () => {
    const block = random.pick(programme.chain.canonical()).header;
    return { createdBlock: block.number, createdBlockHash: block.hash, header: block };
  };
  const alert = (): Alert => {
    const { header } = place();
    return sampleAlert({
      family: `family${random.below(2)}`,
      id: header.timestampS * 2 ** 22 + random.below(3),
      chainId: CHAIN_ID,
      token: { address: random.pick(ADDRESSES), name: 'n', symbol: 's' },
      blockNumber: header.number,
      blockHash: header.hash,
    });
  };
  const tokenRecord = () => {
    const { header, ...created } = place();
    return {
      ...sampleToken(random.pick(ADDRESSES)),
      ...created,
      chainId: CHAIN_ID,
      name: `name ${random.below(9)}`,
      decimals: random.oneIn(2) ? 18 : undefined,
      creator: random.pick(HOLDERS),
      createdAtS: header.timestampS,
    };
  };
  const pool = () => {
    const { address, token0, token1 } = random.pick(POOLS);
    const { header } = place();
    const created = { blockNumber: header.number, blockHash: header.hash };
    return { pool: address, token0, token1, ...(random.oneIn(4) ? {} : { created }) };
  };
  const activity = () => ({
    token: random.pick(ADDRESSES),
    position: chainPosition(random.below(3), random.below(100)),
  });
  const progress = (): Progress => {
    const { number, hash, timestampS } = random.pick(programme.chain.canonical()).header;
    const { number: head } = programme.chain.head();
    const block = { number, hash, timestampS };
    return { chainId: CHAIN_ID, epoch: random.below(4), block, head, updatedAtMs: 1_000 };
  };
  return { random, programme, event, reorg, alert, tokenRecord, pool, activity, progress };
};

/** One random statement that can be run on any stores. */
const statementOf = (
  script: ReturnType<typeof createScript>,
): ((stores: Stores) => Promise<unknown>) => {
  const { random } = script;
  const epoch = random.below(4);
  switch (random.below(11)) {
    case 0:
    case 1: {
      const event = script.event();
      return ({ facts }) => facts.insert([event]);
    }
    case 2: {
      const reorg = script.reorg();
      return async ({ facts, tokens, pools, horizons }) => {
        await horizons.insertStartTombstones(reorg);
        await facts.insertTombstones(reorg);
        await tokens.insertTombstones(reorg);
        await pools.insertTombstones(reorg);
      };
    }
    case 3: {
      const record = script.tokenRecord();
      return ({ tokens }) => tokens.insert([record], epoch);
    }
    case 4: {
      const pool = script.pool();
      return ({ pools }) => pools.insert(CHAIN_ID, [pool], epoch);
    }
    case 5: {
      const activities = [script.activity(), script.activity()].slice(0, 1);
      return ({ activity }) => activity.record(CHAIN_ID, activities);
    }
    case 6: {
      const alert = script.alert();
      return ({ alerts }) => alerts.raise([{ alert, isQuiet: false }], epoch);
    }
    case 7: {
      const reorg = script.reorg();
      return async ({ alerts }) => alerts.withdraw(await alerts.onOrphaned(reorg), reorg);
    }
    case 8: {
      const pools = POOL_ADDRESSES.filter(() => random.oneIn(2));
      return ({ horizons }) => horizons.recordFirstSyncs(CHAIN_ID, pools, epoch);
    }
    case 9: {
      const progress = script.progress();
      return ({ activity }) => activity.saveProgress(progress);
    }
    default:
      script.programme.mine();
      return async () => undefined;
  }
};

const sorted = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted();

interface Question {
  readonly upTo: number;
  readonly reorg: ReorgEvent;
  readonly asOf: ReadonlyMap<Hex, number>;
}

const featuresOf = async ({ features }: Pick<Stores, 'features'>, { upTo, asOf }: Question) => {
  const read = await features.read(CHAIN_ID, ADDRESSES, [WETH], upTo, asOf);
  return {
    touches: [...read.touches]
      .map(([token, { latestS, block }]) =>
        JSON.stringify([token, latestS, block?.number, block?.hash, block?.timestampS]),
      )
      .toSorted(),
    profiles: sorted([...read.profiles.values()]),
    holders: sorted([...read.holders.values()]),
    spread: sorted([...read.spread.values()]),
    series: [...read.pools.values()]
      .flat()
      .map(({ series }) => JSON.stringify(series))
      .toSorted(),
    pools: sorted([...read.pools.values()].flat().map(({ series: _series, ...row }) => row)),
    creators: sorted([...read.creatorTokens.values()].flat()),
  };
};

/** All reads of the stores. */
const answersOf = async (stores: Stores, question: Question) => {
  const { tokens, pools, activity, alerts, index, horizons } = stores;
  const { upTo, reorg } = question;
  const span = { afterS: reorg.ancestor.timestampS, untilS: reorg.ancestor.timestampS + 4_000 };
  return {
    ...(await featuresOf(stores, question)),
    earliestStart: await horizons.earliestStart(CHAIN_ID),
    horizons: sorted(
      await horizons.between({ chainId: CHAIN_ID, bases: [WETH], span, limit: 1_000 }),
    ),
    known: [...(await tokens.known(CHAIN_ID, ADDRESSES))].toSorted(),
    found: sorted(await pools.find(CHAIN_ID, POOL_ADDRESSES)),
    due: sorted(await activity.due(CHAIN_ID, ALL)),
    progress: await activity.progress(CHAIN_ID),
    alerts: (
      await alerts.recent(['family0', 'family1'], { fromS: 1_000_000_000, toS: 2_000_000_000 })
    )
      .map((row) => JSON.stringify([row.alert.family, row.alert.id, row.version, row.isWithdrawn]))
      .toSorted(),
    orphaned: (await alerts.onOrphaned(reorg))
      .map(({ alert }) => `${alert.family} ${alert.id}`)
      .toSorted(),
    index: sorted(
      (await index.pools(POOL_ADDRESSES, upTo)).map(({ reserves, ...row }) => ({
        ...row,
        reserve0: reserves?.amount0 ?? null,
        reserve1: reserves?.amount1 ?? null,
      })),
    ),
    named: sorted(await index.profiles(ADDRESSES)),
  };
};

describe('the fake stores answer as the real ones do', () => {
  test('messages of an earlier epoch that come again do not take the progress back', async () => {
    await emptyTables();
    const at = (epoch: number, number: number): Progress => ({
      chainId: CHAIN_ID,
      epoch,
      block: { number, hash: ZERO_HASH, timestampS: 1_700_000_000 + number },
      head: number,
      updatedAtMs: 1_000 + number,
    });
    for (const { activity } of [realStores(clickhouse), fakeStores(false), fakeStores(true)]) {
      await activity.saveProgress(at(3, 66));
      await activity.saveProgress(at(1, 82));
      await activity.saveProgress(at(3, 60));
      assert.deepEqual(await activity.progress(CHAIN_ID), at(3, 66));
      await activity.saveProgress(at(4, 50));
      assert.deepEqual(await activity.progress(CHAIN_ID), at(4, 50));
    }
  });

  for (const seed of SEEDS) {
    test(`after any statements, seed ${seed}`, async () => {
      await emptyTables();
      const random = createRandom(seed);
      const script = createScript(random);
      const stores = [realStores(clickhouse), fakeStores(false), fakeStores(true)];
      const summing = createFeatureStore(clickhouse, NO_CACHE, undefined, 0);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const statement = statementOf(script);
        for (const one of stores) await statement(one);
        if (round % 8 > 0) continue;
        const upTo = random.oneIn(2) ? ALL : random.below(80);
        const reorg = script.reorg();
        const asOf = new Map(
          ADDRESSES.filter(() => random.oneIn(2)).map((token) => [
            token,
            random.pick(script.programme.chain.canonical()).header.timestampS,
          ]),
        );
        const question = { upTo, reorg, asOf };
        const [real, ...fake] = await Promise.all(stores.map((one) => answersOf(one, question)));
        for (const other of fake) assert.deepEqual(other, real, `round ${round}`);
        const summed = await featuresOf({ features: summing }, question);
        assert.deepEqual({ ...real, ...summed }, real, `round ${round}, summed`);
      }
    });
  }
});
