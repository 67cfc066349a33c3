import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { createStats } from '../api/statistics/createStats.ts';
import { createFakePorts } from '../api/testing/fakePorts.ts';
import { insertCluster, insertWallet } from '../api/testing/rows.ts';
import { startApp } from '../api/testing/startApp.ts';
import { startTestIndex } from '../api/testing/testIndex.ts';
import { type BlockRef, type Hex } from '../shared/chain/block.ts';
import type { BlockFacts, ReorgEvent } from '../shared/chain/chainEvent.ts';
import type { Fact } from '../shared/chain/fact.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { silentLogger } from '../shared/platform/logger.ts';
import { blocksEvent } from '../shared/testing/blocksEvent.ts';
import { addressesOf, addressOf, topicOf as hashOf } from '../shared/testing/evmData.ts';
import { factOf } from '../shared/testing/facts.ts';
import { clickhouse, emptyTables } from '../shared/testing/tables.ts';
import { createActivityStore } from './scorer/ingest/activityStore.ts';
import { createFactStore } from './scorer/ingest/factStore.ts';
import { createOutcomeRecorder, type OutcomeRecorder } from './scorer/outcome/outcomeRecorder.ts';
import { createOutcomeStore, type OutcomeStore } from './scorer/outcome/outcomeStore.ts';
import { createPoolStore } from './scorer/pool/poolStore.ts';

const CHAIN_ID = 31_337;
const FIRST_SYNC_S = 1_700_000_000;
const HOUR_S = 3_600;
const WEEK_S = 7 * 86_400;
const NATIVE_USD = 2_000;
const ETHER = 10n ** 18n;
const hexOf = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const WETH = addressOf(0xeeee);

/** Hours after launch and ether in the pool. */
type Trades = Readonly<Record<number, number>>;
/** Hours after launch, the verdict then, and its proof. */
type Said = 'SCAM' | 'LEGIT';
type Sayings = Readonly<Record<number, Said | readonly [prediction: Said, proof: string]>>;
/** Values by hour, earliest first. */
const byHour = <T>(values: Readonly<Record<number, T>>): [hours: number, value: T][] =>
  Object.entries(values)
    .map(([hours, value]): [number, T] => [Number(hours), value])
    .toSorted(([a], [b]) => a - b);

/** A block every ten minutes. */
const blockAt = (hours: number): number => 1_000 + Math.round(hours * 6);

describe('outcomes, from the facts to /stats', () => {
  let store: OutcomeStore;
  let recorder: OutcomeRecorder;
  let count = 0;

  beforeEach(async () => {
    await emptyTables();
    store = createOutcomeStore(clickhouse);
    recorder = recorderOf(store);
    count = 0;
  });

  const recorderOf = (outcomes: OutcomeStore): OutcomeRecorder =>
    createOutcomeRecorder({
      chainId: CHAIN_ID,
      outcomes,
      activity: createActivityStore(clickhouse),
      prices: {
        prices: async () =>
          new Map([[WETH, { decimals: 18, priceUsd: NATIVE_USD, priceNative: 1, route: [] }]]),
      },
      weth: WETH,
      exclusive: (work) => work(),
      clock: systemClock,
      logger: silentLogger,
    });

  const insertBlocks = (blocks: BlockFacts[], epoch: number): Promise<void> =>
    createFactStore(clickhouse).insert([blocksEvent(blocks, { chainId: CHAIN_ID, epoch })]);

  /** The block a number of hours after launch. */
  const blockOf = (hours: number, facts: Fact[]): BlockFacts => ({
    number: blockAt(hours),
    hash: hashOf(blockAt(hours)),
    timestampS: FIRST_SYNC_S + hours * HOUR_S,
    facts,
  });

  const insertTrades = (pool: Hex, trades: Trades, epoch: number): Promise<void> => {
    const blocks = byHour(trades).map(([hours, base], i): BlockFacts => {
      // The product is constant, so a rise is a purchase.
      const reserves = [BigInt(Math.round(base * 1e6)) * (ETHER / 1_000_000n), 10n ** 24n];
      const [reserveBase = 0n, product = 0n] = reserves;
      const reserve0 = hexOf((product * 10n * ETHER) / (reserveBase || 1n));
      const after = { pool, reserve0, reserve1: hexOf(reserveBase) };
      return blockOf(hours, [factOf('sync', i + 1, after)]);
    });
    return insertBlocks(blocks, epoch);
  };

  /** Verdicts; those on markets of other protocols than Uniswap V2 have no features. */
  const say = async (token: Hex, sayings: Sayings, hasFeatures = true): Promise<void> => {
    for (const [hours, said] of byHour(sayings)) {
      const [prediction, proof] = [said].flat();
      await clickhouse.exec(
        `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, as_of, prediction, model, probability, critical_check, shap_values, features, version)
         SELECT ${CHAIN_ID}, unhex({token:String}), {block:UInt64}, unhex({hash:String}), {asOf:UInt32}, {prediction:String}, 'model', 0.9, {proof:String},
           if({proof:String} = 'holder_sales', map('check:holder_sales', 4.), map()),
           if({hasFeatures:Bool}, map('ageS', {ageS:Float64}), map()), 1`,
        {
          token: token.slice(2),
          block: blockAt(hours),
          hash: hashOf(blockAt(hours)).slice(2),
          prediction,
          proof: proof ?? '',
          hasFeatures,
          asOf: FIRST_SYNC_S + hours * HOUR_S,
          ageS: hours * HOUR_S,
        },
      );
    }
  };

  const launch = async (trades: Trades, sayings: Sayings): Promise<{ token: Hex; pool: Hex }> => {
    count += 1;
    const [token, pool] = [addressOf(count), addressOf(0x1000 + count)];
    await createPoolStore(clickhouse).insert(CHAIN_ID, [{ pool, token0: token, token1: WETH }], 0);
    await insertTrades(pool, trades, 0);
    await say(token, sayings);
    return { token, pool };
  };

  /** The chain's time, in hours after the launches. */
  const reach = (hours: number, epoch = 0): Promise<void> => {
    const number = blockAt(hours);
    const block = { number, hash: hashOf(number), timestampS: FIRST_SYNC_S + hours * HOUR_S };
    const updatedAtMs = Date.now() + epoch;
    return createActivityStore(clickhouse).saveProgress({
      chainId: CHAIN_ID,
      epoch,
      block,
      head: number,
      updatedAtMs,
    });
  };

  const allStatistics = async (validationAccuracy: number | null = null) => {
    const { index, close } = await startTestIndex(clickhouse, CHAIN_ID);
    const stats = createStats({
      database: clickhouse,
      index,
      chainId: CHAIN_ID,
      validationAccuracy,
      clock: systemClock,
    });
    const { ports, keys } = createFakePorts({ stats });
    const app = await startApp(ports);
    const { status, body } = await app.call('/stats', { key: keys.add('pro').key });
    await app.close();
    await close();
    assert.equal(status, 200);
    return body.data;
  };

  const statistics = async (validationAccuracy: number | null = null) => {
    const { accuracy, total_saved } = await allStatistics(validationAccuracy);
    return { accuracy, total_saved };
  };

  const WEEK_H = WEEK_S / HOUR_S;
  /** Grows from 10 to 12 ether and is pulled after a day. */
  const PULLED: Trades = { 0: 10, 0.5: 12, 24: 0.1 };
  const STANDING: Trades = { 0: 10, 30: 11 };

  it('says nothing before a week has passed, and does not make it up', async () => {
    await launch(PULLED, { 0.5: 'SCAM' });
    await reach(WEEK_H);
    assert.equal(await recorder.round(), 0);
    assert.deepEqual(await statistics(), { accuracy: null, total_saved: 0 });
    assert.deepEqual(await statistics(0.8), { accuracy: 0.8, total_saved: 0 });
  });

  it('counts right and wrong by the verdict of the first hour, and what left after the flag', async () => {
    // Right: 2 · (12 − 0.1) ether · 2,000 $ = 47,600 $ saved.
    await launch(PULLED, { 0: 'LEGIT', 0.5: 'SCAM', 24: 'LEGIT' });
    // Wrong: the flag came when the pool was empty, so nothing was saved.
    await launch(PULLED, { 0.5: 'LEGIT', 24: 'SCAM' });
    // Right.
    await launch(STANDING, { 0: 'LEGIT' });
    // Wrong by its outcome: a simulation refused the sale, but no holder was seen to fail.
    await launch(STANDING, { 0: ['SCAM', 'sell_simulation'] });
    // Too small to count.
    await launch({ 0: 0.4 }, { 0: 'SCAM' });
    // First scored after an hour: no prediction, but a flag before the drain: 2 · (12 − 0.1) · 2,000 $.
    await launch(PULLED, { 2: 'SCAM' });
    await reach(WEEK_H + 24 + 1);
    assert.equal(await recorder.round(), 6);
    assert.deepEqual(await statistics(0.8), { accuracy: 2 / 4, total_saved: 2 * 47_600 });
  });

  it('counts a token that its holders could not sell by the end of the week as a scam, though its liquidity stays', async () => {
    const trap: Sayings = { 0: 'SCAM', 30: ['SCAM', 'holder_sales'] };
    await launch(STANDING, trap);
    // Somebody sold after all.
    await launch(STANDING, { ...trap, 60: 'LEGIT' });
    // It could be sold for the whole week.
    await launch(STANDING, { 0: 'LEGIT', [WEEK_H + 2]: ['SCAM', 'holder_sales'] });
    await reach(2 * WEEK_H + 24);
    assert.equal(await recorder.round(), 3);
    const rows = await clickhouse.query(
      `SELECT prediction, outcome, left_usd AS left FROM outcomes ORDER BY token`,
      {},
      z.object({ prediction: z.string(), outcome: z.string(), left: z.number() }),
    );
    assert.deepEqual(rows, [
      { prediction: 'SCAM', outcome: 'unsellable', left: 0 },
      { prediction: 'SCAM', outcome: 'survived', left: 0 },
      { prediction: 'LEGIT', outcome: 'survived', left: 0 },
    ]);
    assert.equal((await statistics()).accuracy, 2 / 3);
  });

  it('follows what happens in markets of other protocols', async () => {
    const FACTORY = addressOf(0xfac);
    const [pair, held, launched, sold] = addressesOf(0x9001, 0x9002, 0x9003, 0x9004);
    const id: Hex = `0x${'4'.repeat(64)}`;
    const wei = (ether: number): Hex => hexOf(BigInt(ether * 1e6) * (ETHER / 1_000_000n));
    const inPair = { protocol: 'solidly', pool: pair } as const;
    const reserves = (n: number, ether: number): Fact =>
      factOf('sync', n, { ...inPair, reserve1: wei(ether) });
    const purchase = {
      sender: FACTORY,
      to: FACTORY,
      amount0Out: '0x1',
      amount1In: wei(2),
    } as const;
    /** Some ten ether below a price of one. */
    const range = { owner: FACTORY, tickLower: -60_000, tickUpper: 60_000, salt: hashOf(0) };
    const position = {
      protocol: 'uniswap_v4',
      pool: id,
      manager: FACTORY,
      amount0: '0x0',
      amount1: '0x0',
      range: { ...range, liquidity: wei(10.5) },
    } as const;
    const ofCurve = { protocol: 'four_meme', pool: sold, manager: FACTORY } as const;
    const inManager = {
      protocol: 'uniswap_v4',
      factory: FACTORY,
      pool: id,
      token1: launched,
      terms: { fee: 500, tickSpacing: 10, stable: false, hooks: addressOf(0) },
      price: { sqrtPriceX96: hexOf(2n ** 96n), tick: 0 },
    } as const;
    const asCurve = { protocol: 'four_meme', factory: FACTORY, pool: sold, token0: sold } as const;
    await insertBlocks(
      [
        blockOf(0, [
          factOf('poolCreated', 1, { ...inPair, factory: FACTORY, token0: held, token1: WETH }),
          factOf('poolCreated', 2, inManager),
          factOf('poolCreated', 3, asCurve),
          reserves(4, 10),
          factOf('mint', 5, position),
          factOf('swap', 6, { ...ofCurve, ...purchase }),
        ]),
        blockOf(0.4, [factOf('graduated', 7, { ...ofCurve, token0: sold, amount1: wei(2) })]),
        blockOf(2, [reserves(8, 12), factOf('swap', 9, { ...inPair, ...purchase })]),
        blockOf(24, [reserves(10, 0.1), factOf('burn', 11, position)]),
      ],
      0,
    );
    await say(held, { 0.5: 'SCAM' }, false);
    await say(launched, { 0.5: 'LEGIT', 2: 'SCAM' }, false);
    await say(sold, { 0: 'SCAM' }, false);
    await reach(WEEK_H + 0.9);
    assert.equal(await recorder.round(), 0);
    await reach(WEEK_H + 1);
    // The curve became a pool that is unknown here.
    assert.deepEqual([await recorder.round(), await recorder.round()], [2, 0]);
    const rows = await clickhouse.query(
      `SELECT token, pool, prediction, outcome, lead_s, round(left_usd) AS left, bought_after_flag_usd AS bought, flag_outcome
       FROM outcomes ORDER BY token`,
      {},
      z.record(z.unknown()),
    );
    const rug = { outcome: 'rug', lead_s: 23 * HOUR_S, flag_outcome: 'rug' };
    assert.deepEqual(rows, [
      { token: held, pool: pair, prediction: 'SCAM', left: 39_600, bought: 4_000, ...rug },
      { token: launched, pool: id, prediction: 'LEGIT', left: 39_909, bought: 0, ...rug },
    ]);
  });

  it('counts wallets and rings that are followed, those that were merged left out', async () => {
    const wallet = { role: 'creator', clusterId: 'rn_1' };
    await insertWallet(clickhouse, CHAIN_ID, { ...wallet, wallet: addressOf(7) });
    await insertWallet(clickhouse, CHAIN_ID, { ...wallet, wallet: addressOf(8) });
    await insertWallet(clickhouse, CHAIN_ID + 1, { ...wallet, wallet: addressOf(9) });
    await insertCluster(clickhouse, CHAIN_ID, { id: 'rn_1', size: 2, riskScore: 90 });
    const merged = { id: 'rn_2', size: 1, riskScore: 90, mergedInto: 'rn_1' };
    await insertCluster(clickhouse, CHAIN_ID, merged);
    const { wallets_tracked, clusters_detected } = await allStatistics();
    assert.deepEqual([wallets_tracked, clusters_detected], [2, 1]);
  });

  it('writes each outcome once, however often it looks', async () => {
    await launch(PULLED, { 0.5: 'SCAM' });
    await reach(WEEK_H + 1);
    assert.deepEqual([await recorder.round(), await recorder.round()], [1, 0]);
    assert.deepEqual(await statistics(), { accuracy: 1, total_saved: 47_600 });
  });

  it('counts a token flagged late in its week with the others of its age, and what followed the flag once that week is over', async () => {
    await launch(PULLED, { 0.5: 'LEGIT', 20: 'SCAM', 30: 'SCAM' });
    await insertTrades(addressOf(0x1001), { 12: 11 }, 0);
    const flags = () =>
      clickhouse.query(
        `SELECT outcome, flag_outcome AS later, liquidity_after_flag_usd AS left FROM outcomes`,
        {},
        z.record(z.unknown()),
      );
    await reach(WEEK_H + 1);
    assert.deepEqual([await recorder.round(), await recorder.round()], [1, 0]);
    assert.deepEqual(await flags(), [{ outcome: 'rug', later: null, left: 0 }]);
    assert.deepEqual(await statistics(), { accuracy: 0, total_saved: 0 });
    await reach(WEEK_H + 12);
    assert.deepEqual([await recorder.round(), await recorder.round()], [1, 0]);
    assert.deepEqual(await flags(), [{ outcome: 'rug', later: 'rug', left: 400 }]);
    // 2 · (11 − 0.1) ether · 2,000 $.
    assert.deepEqual(await statistics(), { accuracy: 0, total_saved: 43_600 });
  });

  it('forgets weeks that ended more than 90 days before the chain’s last block', async () => {
    await launch(PULLED, { 0.5: 'SCAM' });
    await reach(WEEK_H + 1 + 91 * 24);
    assert.equal(await recorder.round(), 1);
    assert.deepEqual(await statistics(), { accuracy: null, total_saved: 47_600 });
  });

  it('follows a reorg: deleted with the block it rests on, and decided again by what is left', async () => {
    const { pool } = await launch(PULLED, { 0.5: 'SCAM' });
    await reach(WEEK_H + 1);
    assert.equal(await recorder.round(), 1);
    const ancestor = { ...block(blockAt(12)), timestampS: FIRST_SYNC_S + 12 * HOUR_S };
    const orphaned = [block(blockAt(24)), block(blockAt(WEEK_H + 1))];
    const reorg: ReorgEvent = { kind: 'reorg', chainId: CHAIN_ID, epoch: 1, ancestor, orphaned };
    await createFactStore(clickhouse).insertTombstones(reorg);
    await store.insertTombstones(reorg);
    await reach(12, 1);
    assert.deepEqual(await statistics(), { accuracy: null, total_saved: 0 });
    // On the other branch nothing was removed.
    await insertTrades(pool, { 25: 12.5 }, 1);
    await reach(WEEK_H + 1, 1);
    assert.equal(await recorder.round(), 1);
    assert.deepEqual(await statistics(), { accuracy: 0, total_saved: 0 });
  });

  it('throws away what a reorg met on its way', async () => {
    await launch(PULLED, { 0.5: 'SCAM' });
    await reach(WEEK_H + 1);
    const interrupted = recorderOf({
      ...store,
      verdictAtAge: async (...args) => {
        await reach(12, 1);
        return store.verdictAtAge(...args);
      },
    });
    await interrupted.round();
    assert.deepEqual(await statistics(), { accuracy: null, total_saved: 0 });
  });
});

const block = (number: number): BlockRef => ({ number, hash: hashOf(number) });
