import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import type { BlockFacts } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { sqrtPriceAtTick } from '../../shared/market/tickMath.ts';
import { createRandom, type Random } from '../../shared/testing/random.ts';
import { testSeeds } from '../testing/simulation/testSeeds.ts';
import { createBench } from './testing/alerterBench.ts';
import {
  address,
  block,
  blocksEvent,
  CREATOR,
  hash,
  pairCreated,
  reorgEvent,
  sync,
  TOKEN,
  transfer,
  watchItem,
} from './testing/chainBuilder.ts';
import { createTickMarket, V3 } from './testing/marketBuilder.ts';

const ROUNDS = 60;
const POOLS = 4;
/** Reorgs reach back this far at the most. */
const DEPTH_MAX = 12;

const pool = (index: number) => address(`pool${index}`);
const token = (index: number) => address(`token${index}`);
/** Of one more token: a market with concentrated liquidity beside nothing else. */
const V3_POOL: Hex = V3.pool;
const GENESIS = block(1, [
  ...Array.from({ length: POOLS }, (_, i) => [
    pairCreated('create', pool(i), token(i)),
    sync('open', 1000, 100, pool(i)),
  ]).flat(),
  ...createTickMarket(V3).create('create'),
]);
const RANGES = [
  { tickLower: -887_220, tickUpper: 887_220 },
  { tickLower: -600, tickUpper: 600 },
  { tickLower: -6_000, tickUpper: -60 },
  { tickLower: 60, tickUpper: 6_000 },
];

/** A change of a range or of the price; positions may go below what they hold, as no contract would let them. */
const randomTicks = (random: Random, tx: string): Fact => {
  const place = {
    protocol: 'uniswap_v3',
    pool: V3_POOL,
    txHash: hash(tx),
    txIndex: 0,
    logIndex: 0,
  } as const;
  const liquidity: Hex = `0x${(BigInt(1 + random.below(150)) * 10n ** 18n).toString(16)}`;
  if (random.oneIn(3)) {
    const tick = random.below(12_000) - 6_000;
    const sqrtPriceX96: Hex = `0x${sqrtPriceAtTick(tick).toString(16)}`;
    const amounts = {
      amount0In: '0x1',
      amount1In: '0x0',
      amount0Out: '0x0',
      amount1Out: '0x1',
    } as const;
    const after = { sqrtPriceX96, tick, liquidity };
    return { kind: 'swap', ...place, sender: CREATOR, to: CREATOR, ...amounts, after };
  }
  const range = { owner: CREATOR, liquidity, salt: ZERO_HASH, ...random.pick(RANGES) };
  const change = { ...place, sender: CREATOR, amount0: '0x0', amount1: '0x0', range } as const;
  return random.oneIn(2)
    ? ({ kind: 'mint', ...change } as Fact)
    : ({ kind: 'burn', ...change, to: ZERO_ADDRESS } as Fact);
};

const randomFacts = (random: Random, tx: string): Fact[] =>
  Array.from({ length: random.below(4) }, (_, i) => i).flatMap((i) => {
    if (random.oneIn(4)) return [randomTicks(random, `${tx}.${i}`)];
    const index = random.below(POOLS);
    return [
      transfer(`${tx}.${i}`, token(index), CREATOR, pool(index)),
      sync(`${tx}.${i}`, 1000, 1 + random.below(150), pool(index)),
    ];
  });

const watchAll = (bench: ReturnType<typeof createBench>): void => {
  for (let i = 0; i < POOLS; i += 1) {
    bench.watch(watchItem({ id: i + 1, address: token(i), family: `fam${i % 2}` }));
  }
  bench.watch(watchItem({ id: POOLS + 1, address: TOKEN, family: 'fam0' }));
};

/** What the alerts must be: those of the canonical chain alone, read once without trouble. */
const oracle = async (canonical: readonly BlockFacts[]) => {
  const bench = createBench();
  watchAll(bench);
  bench.add(...canonical.map((one) => blocksEvent([one])));
  await bench.start().handle(bench.stream);
  return bench.alerts().map(({ id, family, details }) => ({ id, family, details }));
};

const simulate = async (seed: number) => {
  const random = createRandom(seed);
  class Crash extends Error {}
  let isRough = true;
  const bench = createBench(() => {
    if (isRough && random.oneIn(25)) throw new Crash();
  });
  watchAll(bench);
  let canonical = [GENESIS];
  let epoch = 0;
  let branches = 0;
  let acknowledged = 0;
  let alerter = bench.start();
  bench.add(blocksEvent([GENESIS]));

  const grow = (): void => {
    const number = canonical.length + 1;
    const grown = block(number, randomFacts(random, `t${number}.${branches}`), `.${branches}`);
    canonical.push(grown);
    const cut = random.below(grown.facts.length + 1);
    if (!random.oneIn(3)) bench.add(blocksEvent([grown], { epoch }));
    else {
      const [head, tail] = [grown.facts.slice(0, cut), grown.facts.slice(cut)];
      bench.add(
        blocksEvent([{ ...grown, facts: head }], { epoch, last: false }),
        blocksEvent([{ ...grown, facts: tail }], { epoch, chunk: 1 }),
      );
    }
  };
  const reorganise = (): void => {
    const depth = Math.min(1 + random.below(DEPTH_MAX), canonical.length - 1);
    if (depth === 0) return;
    const orphaned = canonical.slice(-depth);
    canonical = canonical.slice(0, -depth);
    epoch += 1;
    bench.add(reorgEvent(epoch, orphaned));
    if (random.oneIn(2)) branches += 1;
    else {
      // The same blocks come back later: A, B, A.
      for (const same of orphaned.slice(0, random.below(depth + 1))) {
        canonical.push(same);
        bench.add(blocksEvent([same], { epoch }));
      }
      branches += 1;
    }
  };
  const work = async (): Promise<void> => {
    const batch = bench.stream.slice(acknowledged, acknowledged + 1 + random.below(5));
    try {
      await alerter.handle(batch);
      acknowledged += batch.length;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      if (random.oneIn(2)) return;
      isRough = false;
      alerter = bench.start();
      await alerter.recall(bench.stream.slice(0, acknowledged));
      isRough = true;
    }
  };

  for (let round = 0; round < ROUNDS; round += 1) {
    if (random.oneIn(8)) reorganise();
    else grow();
    if (random.oneIn(2)) await work();
  }
  isRough = false;
  while (acknowledged < bench.stream.length) await work();

  const alerts = bench.alerts().map(({ id, family, details }) => ({ id, family, details }));
  assert.deepEqual(alerts, await oracle(canonical));
  // Whoever follows the messages holds the same alerts.
  const followed = new Set<number>();
  for (const { state, alert } of bench.sent()) {
    if (state === 'raised') followed.add(alert.id);
    else followed.delete(alert.id);
  }
  assert.deepEqual(followed, new Set(alerts.map(({ id }) => id)));
  return { blocks: canonical.length, alerts: alerts.length };
};

describe('under reorgs, repetitions, failures and restarts the alerter ends with the alerts of the chain', () => {
  testSeeds(simulate);
});
