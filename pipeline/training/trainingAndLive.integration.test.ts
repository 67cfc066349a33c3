import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { marketId } from '../../shared/market/marketId.ts';
import { FEATURE_NAMES } from '../../shared/messages/featureNames.ts';
import { type Clickhouse } from '../../shared/platform/clickhouse.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { clickhouse, emptyTables } from '../../shared/testing/tables.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { createFeatureStore } from '../scorer/features/featureStore.ts';
import { poolFeatures } from '../scorer/features/poolFeatures.ts';
import { modelFeatures, valuePool } from '../scorer/features/tokenFeatures.ts';
import { createFactStore } from '../scorer/ingest/factStore.ts';
import { createPoolStore } from '../scorer/pool/poolStore.ts';
import { createTokenStore } from '../scorer/token/tokenStore.ts';
import { sampleToken } from '../testing/sampleToken.ts';
import { snapshotsOf } from './exportDataset.ts';
import { lifeSnapshotsOf } from './exportLives.ts';
import { type RecordedPool, readMarket } from './recordedMarket.ts';
import { readStoredMarket } from './storedMarket.ts';
import { blockTimeS } from './syncTable.ts';
import { createRandom, syntheticLp, syntheticPool } from './syntheticPools.ts';

const CHAIN_ID = 1;
const POOLS = 24;
const CREATORS = 7;
const FIRST_HEIGHT = 13_200_000;
const HEIGHTS = 9_000;
const WETH: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const PRICES = new Map([[WETH, { decimals: 18, priceUsd: 3_000, priceNative: 1, route: [] }]]);
const MICRO_WEI = 10n ** 12n;

const address = (space: number, number: number): Hex =>
  `0x${space.toString(16).padStart(4, '0')}${number.toString(16).padStart(36, '0')}`;
const hashOf = (height: number): Hex => `0x${height.toString(16).padStart(64, 'b')}`;
const quantity = (raw: bigint): Hex => `0x${raw.toString(16)}`;

type Sync = { kind: 'sync'; height: number; weth: bigint; token: bigint };
type Lp = { kind: 'lp'; height: number; from: Hex; to: Hex; value: bigint };
type Invented = { pool: Hex; token: Hex; creator: Hex; tokenIs0: boolean; events: (Sync | Lp)[] };

/** Pools with Syncs and liquidity transfers at heights of the recorded time; each creator launches several. */
const invent = (): Invented[] => {
  const random = createRandom(31);
  return Array.from({ length: POOLS }, (_, i) => {
    const pool = address(0xaaaa, i);
    const token = address(i % 2 === 0 ? 0x0001 : 0xffff, i);
    const creator = address(0xcccc, i % CREATORS);
    const start = FIRST_HEIGHT + Math.floor(random() * HEIGHTS);
    const recorded = syntheticPool(random);
    const origin = recorded[0]?.blockNumber ?? 0;
    const height = (block: number): number => start + block - origin;
    const syncs = recorded.map(({ blockNumber, reserveBase, reserveToken }): Sync => {
      const weth = BigInt(Math.round(reserveBase * 1e6)) * MICRO_WEI;
      return {
        kind: 'sync',
        height: height(blockNumber),
        weth,
        token: BigInt(Math.round(reserveToken)),
      };
    });
    const heights = new Map(recorded.map((s) => [s.timestampS, height(s.blockNumber)]));
    const own: Record<string, Hex> = {
      [`0x${'a'.repeat(39)}1`]: pool,
      [`0x${'a'.repeat(39)}2`]: creator,
    };
    const name = (who: string): Hex => own[who] ?? (who as Hex);
    const lp = (syntheticLp(random, recorded)?.transfers ?? []).map((transfer): Lp => {
      const { timestampS, from, to, value } = transfer;
      const at = heights.get(timestampS) ?? start;
      return {
        kind: 'lp',
        height: at,
        from: name(from),
        to: name(to),
        value: BigInt(Math.floor(value)),
      };
    });
    const events = [...lp, ...syncs].sort((a, b) => a.height - b.height);
    return { pool, token, creator, tokenIs0: BigInt(token) < BigInt(WETH), events };
  });
};

/** The events as CSV files of the recording. */
const writeRecording = (folder: string, market: readonly Invented[]) => {
  const files = {
    sync: join(folder, 'sync.csv'),
    pools: join(folder, 'pools.csv'),
    lp: join(folder, 'lp.csv'),
  };
  const sync = ['pool,block,tx_index,log_index,reserve_weth_wei,reserve_token_raw'];
  const lp = ['pool,block,tx_index,log_index,from,to,value_raw'];
  const pools = ['cohort,pool,token,creator'];
  for (const { pool, token, creator, events } of market) {
    pools.push(`2021,${pool},${token},${creator}`);
    events.forEach((event, i) => {
      const at = `${pool},${event.height},0,${i}`;
      if (event.kind === 'sync') sync.push(`${at},${event.weth},${event.token}`);
      else lp.push(`${at},${event.from},${event.to},${event.value}`);
    });
  }
  writeFileSync(files.sync, `${sync.join('\n')}\n`);
  writeFileSync(files.lp, `${lp.join('\n')}\n`);
  writeFileSync(files.pools, `${pools.join('\n')}\n`);
  return files;
};

const factOf = ({ pool, tokenIs0 }: Invented, event: Sync | Lp, logIndex: number): Fact => {
  const at = { txHash: ZERO_HASH, txIndex: 0, logIndex };
  if (event.kind === 'lp') {
    const { from, to, value } = event;
    return { kind: 'transfer', token: pool, from, to, value: quantity(value), ...at };
  }
  const [reserve0, reserve1] = tokenIs0 ? [event.token, event.weth] : [event.weth, event.token];
  return {
    kind: 'sync',
    protocol: 'uniswap_v2',
    pool,
    reserve0: quantity(reserve0),
    reserve1: quantity(reserve1),
    ...at,
  };
};

/** The same events as facts of the chain. */
const store = async (clickhouse: Clickhouse, market: readonly Invented[]): Promise<void> => {
  const blocks = new Map<number, Fact[]>();
  for (const invented of market) {
    invented.events.forEach((event, i) => {
      const facts = blocks.get(event.height) ?? [];
      blocks.set(event.height, [...facts, factOf(invented, event, i)]);
    });
  }
  const stored = [...blocks].map(([number, facts]) => ({
    number,
    hash: hashOf(number),
    timestampS: blockTimeS(number),
    facts,
  }));
  const ascending = stored.toSorted((a, b) => a.number - b.number);
  await createFactStore(clickhouse).insert([blocksEvent(ascending, { chainId: CHAIN_ID })]);
  const pools = market.map(({ pool, token, tokenIs0 }) => {
    const [token0, token1] = tokenIs0 ? [token, WETH] : [WETH, token];
    return { pool, token0, token1 };
  });
  await createPoolStore(clickhouse).insert(CHAIN_ID, pools, 0);
  const tokens = market.map(({ token, creator }) =>
    sampleToken(token, { chainId: CHAIN_ID, creator, createdBlock: FIRST_HEIGHT }),
  );
  await createTokenStore(clickhouse).insert(tokens, 0);
};

/** The highest block that is not after a time. */
const heightAt = (timeS: number): number => {
  let height = FIRST_HEIGHT + Math.floor((timeS - blockTimeS(FIRST_HEIGHT)) / 14);
  while (blockTimeS(height + 1) <= timeS) height += 1;
  return height;
};

describe('training and live scoring compute the same features', () => {
  before(emptyTables);
  const folder = tempFolder();

  it('to the last digit, from recorded files and from stored facts, at every horizon', async () => {
    const market = invent();
    const files = writeRecording(folder, market);
    await store(clickhouse, market);
    const recorded = await readMarket({
      syncs: [files.sync],
      pools: [files.pools],
      lps: [files.lp],
    });
    const features = createFeatureStore(clickhouse);
    const seen = new Set<string>();
    for (const ageS of [60, 3_600, 86_400]) {
      for (const { token, firstSyncS, series } of recorded) {
        const asOfS = firstSyncS + ageS;
        const facts = await features.read(CHAIN_ID, [token as Hex], [WETH], heightAt(asOfS));
        const [row] = facts.pools.get(token as Hex) ?? [];
        assert.ok(row, 'the pool is stored');
        const live = modelFeatures(valuePool(row, PRICES), asOfS);
        const expected = poolFeatures(series, asOfS);
        FEATURE_NAMES.forEach((name, i) => {
          assert.ok(
            Object.is(live[i], expected[i]),
            `${name}: ${live[i]} live, ${expected[i]} in training`,
          );
          if (!Number.isNaN(live[i])) seen.add(name);
        });
      }
    }
    assert.deepEqual(
      [...FEATURE_NAMES].filter((name) => !seen.has(name)),
      [],
    );
  });

  it('and the same rows to train on, labels and all, once outcomes are known', async () => {
    const files = writeRecording(folder, invent());
    const recorded = await readMarket({
      syncs: [files.sync],
      pools: [files.pools],
      lps: [files.lp],
    });
    const pools = [...recorded].map((one) => ({ ...one, cohort: `chain ${CHAIN_ID}` }));
    for (const { token, pool, firstSyncS } of pools) {
      await clickhouse.exec(
        `INSERT INTO token_outcomes (chain_id, token, market, judged_at, outcome, block_number, version)
         SELECT ${CHAIN_ID}, unhex('${token.slice(2)}'), unhex('${marketId(pool as Hex).slice(2)}'), toDateTime(${firstSyncS + 3_600}, 'UTC'), 'survived', 1, 0`,
      );
    }
    const untilS = Math.max(...pools.map(({ firstSyncS }) => firstSyncS)) + 30 * 86_400;
    // Verdicts on holders: nobody can sell the first token from then on; somebody sold the second one after all.
    const [trap, free] = pools;
    assert.ok(trap && free);
    const unsellableSinceS = trap.firstSyncS + 9 * 86_400;
    for (const { token, atS, added } of [
      { token: trap.token, atS: trap.firstSyncS + 600, added: -0.5 },
      { token: trap.token, atS: unsellableSinceS, added: 4 },
      { token: free.token, atS: free.firstSyncS + 600, added: 4 },
      { token: free.token, atS: free.firstSyncS + 86_400, added: -0.5 },
    ]) {
      await clickhouse.exec(
        `INSERT INTO verdict_history (chain_id, token, block_number, as_of, shap_values, version)
         SELECT ${CHAIN_ID}, unhex('${token.slice(2)}'), ${heightAt(atS)}, toDateTime(${atS}, 'UTC'), map('check:holder_sales', ${added}), 0`,
      );
    }
    Object.assign(trap, { unsellableSinceS });
    const linesOf = (pool: RecordedPool) =>
      [...snapshotsOf(pool, untilS), ...lifeSnapshotsOf(pool, untilS)].map(({ line }) => line);
    const isCalledScam = lifeSnapshotsOf(trap, untilS).map(({ ageS, isScam }) => [
      ageS / 86_400,
      isScam,
    ]);
    assert.deepEqual(isCalledScam.slice(0, 2), [
      [1, false],
      [2, true],
    ]);
    const block = { number: heightAt(untilS), hash: ZERO_HASH, timestampS: untilS };
    const reached = { chainId: CHAIN_ID, epoch: 0, block };
    const stored: string[] = [];
    for await (const pool of readStoredMarket({
      clickhouse,
      reached,
      untilS,
      prices: PRICES,
    })) {
      stored.push(...linesOf(pool));
    }
    assert.ok(stored.length > POOLS, `${stored.length} rows`);
    assert.deepEqual(stored.toSorted(), pools.flatMap(linesOf).toSorted());
  });
});
