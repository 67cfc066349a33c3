import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { createFactStore } from '../../pipeline/scorer/ingest/factStore.ts';
import { createPoolStore } from '../../pipeline/scorer/pool/poolStore.ts';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import type { BlockFacts } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { bookOf, depthOf, spotPrice } from '../../shared/market/marketBook.ts';
import { readCreatedMarkets, readMarketStates } from '../../shared/market/marketReads.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { REPLACED_VERDICT } from '../../shared/testing/samples.ts';
import { clickhouse as database, emptyTables } from '../../shared/testing/tables.ts';
import { createUsage } from '../accounts/usage.ts';
import { composeTokenReport } from '../reports/composeTokenReport.ts';
import { createReports } from '../reports/queries.ts';
import { createSearch } from '../search/queries.ts';
import { addressOf, NOW_MS, verdictOf } from '../testing/fakePorts.ts';
import { createFakeTokens } from '../testing/fakeTokens.ts';
import { insertVerdict } from '../testing/rows.ts';
import { startTestIndex } from '../testing/testIndex.ts';
import { createHistory, createTokens, type Tokens } from './createTokens.ts';
import { readMarket } from './market.ts';
import type { Verdict, VerdictSummary } from './verdict.ts';
import { VERDICT_SORTS, type VerdictPage } from './verdictPage.ts';

const CHAIN_ID = 7;
const lastRow = z.object({ last_ms: z.number() });
const TOKENS = 40;

describe('queries on ClickHouse', () => {
  before(emptyTables);
  let indexed: Awaited<ReturnType<typeof startTestIndex>>;
  let tokens: Tokens;
  const state = new Map<string, Verdict>();

  /** Half of them have an additional feature, which changes with the version. */
  const verdictAt = (index: number, version: number): Verdict => {
    const verdict = verdictOf(addressOf(index + 1), { riskScore: (7 * index) % 100 });
    const age = index % 2 === 0 ? {} : { age: (index + version) % 4 };
    const features = { ...verdict.doc.features, ...age };
    return { ...verdict, doc: { ...verdict.doc, features } };
  };

  before(async () => {
    indexed = await startTestIndex(database, CHAIN_ID);
    tokens = createTokens(database, CHAIN_ID, indexed);
    for (let version = 1; version <= 3; version += 1) {
      for (let index = 0; index < TOKENS; index += version) {
        const verdict = verdictAt(index, version);
        await insertVerdict(database, CHAIN_ID, verdict, { version });
        state.set(verdict.token, verdict);
      }
    }
    // One stored late, one deleted: neither may show.
    await insertVerdict(database, CHAIN_ID, verdictAt(1, 0), { version: 0 });
    for (const index of [4, 5]) {
      await database.exec(
        `INSERT INTO token_verdicts SELECT * REPLACE (4 AS version, 1 AS is_deleted, ${REPLACED_VERDICT})
         FROM token_verdicts FINAL WHERE token = unhex({token:String})`,
        { token: addressOf(index + 1).slice(2) },
      );
      state.delete(addressOf(index + 1));
    }
  });
  after(async () => {
    await indexed.close();
  });

  // Other properties are searched in `api/index/tokenIndex.property.test.ts`.
  it('find by features, which the index reads when they are first asked for, as the fake does', async () => {
    const ranges = [{ min: 1 }, { max: 1 }, { min: 1, max: 2 }, { min: 4 }];
    for (const [version, sort] of VERDICT_SORTS.entries()) {
      // Already known ones are updated.
      for (const changed of [verdictAt(1, version), verdictAt(6, version)]) {
        await insertVerdict(database, CHAIN_ID, changed, { version: 4 + version });
        state.set(changed.token, changed);
      }
      const oracle = createFakeTokens([...state.values()]);
      for (const age of ranges) {
        const page: VerdictPage = { sort, order: 'desc', limit: 5, offset: 2 };
        const traits = { features: { age } };
        const label = JSON.stringify([page, traits]);
        const [examined, expected] = await Promise.all([
          tokens.examine(page, traits),
          oracle.examine(page, traits),
        ]);
        const named = (found: readonly VerdictSummary[]) => found.map(({ token }) => token);
        assert.deepEqual(named(examined.found), named(expected.found), label);
        assert.deepEqual(examined.next, expected.next, label);
        assert.equal(examined.total, expected.total, label);
      }
    }
  });

  it('count the same after parts have merged', async () => {
    await database.exec('OPTIMIZE TABLE token_verdicts FINAL');
    assert.equal(await tokens.count({}), state.size);
    const page = { sort: 'risk_score', order: 'desc', limit: 100, offset: 0 } as const;
    assert.equal((await tokens.list(page)).length, state.size);
  });

  it('find several tokens, with and without their documents', async () => {
    const wanted = [addressOf(1), addressOf(2), addressOf(5), addressOf(0xee)];
    const [summaries, docs] = await Promise.all([
      tokens.findMany(wanted),
      Promise.all(wanted.map((token) => tokens.find(token))),
    ]);
    assert.deepEqual(summaries.map(({ token }) => token).toSorted(), [addressOf(1), addressOf(2)]);
    assert.deepEqual(
      docs.map((verdict) => verdict?.token),
      [addressOf(1), addressOf(2), undefined, undefined],
    );
  });

  it('draw price, liquidity and volume of markets of every protocol', async () => {
    const hexOf = (value: number): Hex => `0x${BigInt(Math.round(value)).toString(16)}`;
    const nowS = Math.floor(NOW_MS / 1_000);
    const [manager, usd] = [addressOf(0xfa), addressOf(0x5d)];
    const blockOf = (number: number, facts: readonly object[]): BlockFacts => {
      const timestampS = nowS - 100 * (2_000 - number);
      const inLog = (logIndex: number) => ({ logIndex, txIndex: 0, txHash: ZERO_HASH });
      const placed = facts.map((fact, i) => ({ ...fact, ...inLog(i) }) as Fact);
      return { number, hash: hashText(number), timestampS, facts: placed };
    };
    const hashText = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
    const L = 1e15;
    const trader = { sender: manager, to: manager };
    const none = { amount0: '0x0', amount1: '0x0', amount0In: '0x0', amount1Out: '0x0' };
    const priceAt = (root: number) => {
      const tick = Math.floor(Math.log(root ** 2) / Math.log(1.0001));
      return { sqrtPriceX96: hexOf(root * 2 ** 96), tick };
    };
    const range = { owner: manager, tickLower: -60_000, tickUpper: 60_000, salt: ZERO_HASH };
    const position = { kind: 'mint', ...trader, ...none, range: { ...range, liquidity: hexOf(L) } };
    /** The square root of the price rises from 1 to 1.1. */
    const purchase = {
      kind: 'swap',
      ...trader,
      ...none,
      amount1In: hexOf(L * 0.1),
      amount0Out: hexOf(L * (1 - 1 / 1.1)),
    };
    const after = { ...priceAt(1.1), liquidity: hexOf(L) };
    const ticks = [position, { ...purchase, after }];
    const reserves = (reserve0: number, reserve1: number) => {
      return { reserve0: hexOf(reserve0), reserve1: hexOf(reserve1) };
    };
    const pairs = [
      { kind: 'sync', ...reserves(1e13, 2e10) },
      { kind: 'sync', ...reserves(8e12, 2.5e10) },
    ];
    const start = { kind: 'mint', ...trader, amount0: hexOf(1e15), amount1: hexOf(6e12) };
    const markets = [
      { protocol: 'uniswap_v3', quote: usd, events: [{ kind: 'priced', ...priceAt(1) }, ...ticks] },
      { protocol: 'pancake_v3', quote: usd, events: [{ kind: 'priced', ...priceAt(1) }, ...ticks] },
      { protocol: 'slipstream', quote: usd, events: [{ kind: 'priced', ...priceAt(1) }, ...ticks] },
      { protocol: 'uniswap_v4', quote: ZERO_ADDRESS, isManaged: true, events: ticks },
      { protocol: 'solidly', quote: usd, events: [...pairs, purchase] },
      { protocol: 'solidly', quote: usd, isStable: true, events: [...pairs, purchase] },
      {
        protocol: 'four_meme',
        quote: ZERO_ADDRESS,
        isManaged: true,
        isSold: true,
        events: [{ ...purchase, after: reserves(1e15, L * 0.1) }],
      },
      { protocol: 'virtuals', quote: usd, isSold: true, events: [start, purchase] },
    ] as const;
    const launched = markets.map((market, i) => {
      const token = addressOf(0xa0 + i);
      const pool =
        market.protocol === 'uniswap_v4'
          ? hashText(0x4444)
          : market.protocol === 'four_meme'
            ? token
            : addressOf(0xb0 + i);
      const isToken0 = market.quote !== ZERO_ADDRESS || 'isSold' in market;
      return { ...market, token, pool, isToken0 };
    });
    const factsOf = ({
      protocol,
      quote,
      token,
      pool,
      isToken0,
      ...market
    }: (typeof launched)[0]) => {
      const [token0, token1] = isToken0 ? [token, quote] : [quote, token];
      const stable = 'isStable' in market;
      const terms = { fee: 0, tickSpacing: 60, stable, hooks: ZERO_ADDRESS };
      const place = { protocol, pool, ...('isManaged' in market ? { manager } : {}) };
      const price = protocol === 'uniswap_v4' ? { price: priceAt(1) } : {};
      return [
        { kind: 'poolCreated', protocol, pool, factory: manager, token0, token1, terms, ...price },
        ...market.events.map((event) => ({ ...event, ...place })),
      ];
    };
    const [ofV2, pair] = [addressOf(0xc0), addressOf(0xc1)];
    const inV2 = [...pairs, purchase].map((event) => [
      { ...event, protocol: 'uniswap_v2', pool: pair },
    ]);
    await createPoolStore(database).insert(
      CHAIN_ID,
      [{ pool: pair, token0: ofV2, token1: usd }],
      0,
    );
    // Each event in a block of its own.
    const blocks = [0, 1, 2, 3].map((i) =>
      blockOf(1_500 + i, [...launched.flatMap((one) => factsOf(one)[i] ?? []), ...(inV2[i] ?? [])]),
    );
    await createFactStore(database).insert([blocksEvent(blocks, { chainId: CHAIN_ID })]);
    for (const [token, decimals] of [
      [usd, 6] as const,
      ...[{ token: ofV2 }, ...launched].map((one) => [one.token, 9] as const),
    ]) {
      await database.exec(
        `INSERT INTO dim_tokens (chain_id, token, symbol, decimals, version)
         SELECT ${CHAIN_ID}, unhex({token:String}), 'SYM', {decimals:UInt8}, 1`,
        { token: token.slice(2), decimals },
      );
    }
    const near = (actual: number | undefined, expected: number, label: string) =>
      assert.ok(Math.abs((actual ?? 0) / expected - 1) < 1e-6, `${label}: ${actual}, ${expected}`);
    const created = await readCreatedMarkets(database, {
      chainId: CHAIN_ID,
      markets: launched.map(({ pool }) => pool),
      factories: [],
      upTo: 9_999,
    });
    const stateOf = await readMarketStates(
      database,
      CHAIN_ID,
      created.map(({ market }) => ({ market, untilBlock: 9_999 })),
    );
    for (const { protocol, quote, token, pool, isToken0 } of launched) {
      const made = created.find(({ market }) => market === pool);
      assert.ok(made, protocol);
      const [unit, quoteDigits] = quote === usd ? [1e6, 6] : [1e18, 18];
      const book = bookOf(made, stateOf(made), { digits0: 9, digits1: 6 });
      assert.ok(book, protocol);
      const [price, depth] = [spotPrice(book, isToken0), depthOf(book, isToken0)];
      const verdict = verdictOf(token);
      const doc = { ...verdict.doc, market: { protocol, market: pool, quote, route: [] } };
      const found = await readMarket(database, CHAIN_ID, { token, doc }, NOW_MS);
      near(found?.prices.at(-1), (price ?? 0) * 10 ** (9 - quoteDigits), `price of ${protocol}`);
      near(found?.reserves.at(-1), depth / unit, `liquidity of ${protocol}`);
      const traded = isToken0 ? L * 0.1 : L * (1 - 1 / 1.1);
      near(found?.volumeOfDay, traded / unit, `volume of ${protocol}`);
      assert.equal(found?.quoteSymbol, quote === usd ? 'SYM' : 'native coin');
    }
    // A verdict without a market: it is found by its token.
    const [concentrated] = launched;
    const drawn = await readMarket(
      database,
      CHAIN_ID,
      verdictOf(concentrated?.token ?? usd),
      NOW_MS + 86_400_000,
    );
    assert.deepEqual(
      drawn?.times,
      [1_501, 1_502, 1_503].map((n) => nowS - 100 * (2_000 - n)),
    );
    assert.deepEqual(drawn?.prices.map(Math.round), [1_000, 1_000, 1_210]);
    assert.deepEqual(drawn?.moves, [{ atS: nowS - 100 * 498, isRemoval: false }]);
    assert.equal(drawn?.volumeOfDay, 0, 'of the last day only');
    const pool = await readMarket(database, CHAIN_ID, verdictOf(ofV2), NOW_MS);
    assert.deepEqual(pool?.prices, [2, 3.125]);
    assert.deepEqual([pool?.reserves, pool?.volumeOfDay], [[20_000, 25_000], 1e8]);
    assert.equal(
      await readMarket(database, CHAIN_ID, verdictOf(addressOf(0xdd)), NOW_MS),
      undefined,
    );
  });

  it('search wallets page by page, with the total on pages beyond the end too', async () => {
    const search = createSearch(database, CHAIN_ID, indexed);
    const riskOf = (wallet: Hex, riskScore: number) =>
      database.exec(
        `INSERT INTO dim_wallets (chain_id, wallet, role, risk_score, version)
         VALUES ({chainId:UInt64}, unhex({wallet:String}), 'creator', {riskScore:Float64}, {riskScore:Float64})`,
        { chainId: CHAIN_ID, wallet: wallet.slice(2), riskScore },
      );
    for (const [number, risk] of [
      [1, 20],
      [2, 40],
      [3, 60],
      [1, 80],
      [4, 90],
      [4, 91],
      [4, 92],
      [4, 93],
    ] as const) {
      await riskOf(addressOf(number), risk);
    }
    await database.exec(
      `INSERT INTO dim_wallets (chain_id, wallet, risk_score, version, is_deleted)
       VALUES ({chainId:UInt64}, unhex({wallet:String}), 100, 94, 1)`,
      { chainId: CHAIN_ID, wallet: addressOf(4).slice(2) },
    );
    const page = { sort: 'risk_score', order: 'desc', limit: 1, riskScore: { min: 50 } } as const;
    const at = async (offset: number) => {
      const { wallets, total } = await search.wallets({ ...page, offset });
      return [wallets.map(({ address, riskScore }) => [address, riskScore]), total];
    };
    assert.deepEqual(await at(0), [[[addressOf(1), 80]], 2]);
    assert.deepEqual(await at(1), [[[addressOf(3), 60]], 2]);
    assert.deepEqual(await at(2), [[], 2]);
    const totals = await Promise.all(
      [0, 50, 70, 90].map(async (min) => {
        const { total } = await search.wallets({ ...page, offset: 0, riskScore: { min } });
        return total;
      }),
    );
    assert.deepEqual(totals, [3, 2, 1, 0]);
    const filter = { roles: ['creator'], isKnownScammer: false, clusterId: '' };
    const every = { ...page, ...filter, riskScore: undefined, offset: 0, limit: 5 } as const;
    const { wallets } = await search.wallets({ ...every, order: 'asc' });
    assert.deepEqual(
      wallets.map(({ riskScore }) => riskScore),
      [40, 60, 80],
    );
  });

  it('list the history newest first, without what a reorg deleted', async () => {
    const token = addressOf(0xaa);
    const history = createHistory(database, CHAIN_ID);
    const at = (blockNumber: number, hash: string): Verdict => {
      const base = verdictOf(token, { blockNumber });
      const provenance = { ...base.doc.provenance, block_hash: `0x${hash.repeat(32)}` };
      return { ...base, doc: { ...base.doc, provenance } };
    };
    for (const [block, hash] of [
      [1, 'a1'],
      [2, 'a2'],
      [2, 'b2'],
      [3, 'a3'],
    ] as const) {
      await insertVerdict(database, CHAIN_ID, at(block, hash));
    }
    await insertVerdict(database, CHAIN_ID, at(3, 'a3'));
    await database.exec(
      `INSERT INTO verdict_history SELECT * REPLACE (9 AS version, 1 AS is_deleted)
       FROM verdict_history FINAL WHERE block_hash = unhex({hash:String})`,
      { hash: 'b2'.repeat(32) },
    );
    await database.exec(
      `INSERT INTO verdict_history SELECT * REPLACE (toUInt32(3600) AS horizon_s)
       FROM verdict_history FINAL WHERE block_hash = unhex({hash:String})`,
      { hash: 'a2'.repeat(32) },
    );
    const places = (rows: readonly { blockNumber: number; horizonS: number }[]) =>
      rows.map(({ blockNumber, horizonS }) => [blockNumber, horizonS]);
    const first = await history.list(token, { limit: 2 });
    assert.deepEqual(places(first), [
      [3, 0],
      [2, 3_600],
    ]);
    const last = first.at(-1);
    assert.ok(last);
    const { blockNumber, horizonS } = last;
    const before = { blockNumber, blockHash: last.blockHash.slice(2), horizonS };
    const rest = await history.list(token, { limit: 2, before });
    assert.deepEqual(places(rest), [
      [2, 0],
      [1, 0],
    ]);
    assert.ok((await history.count(token)) >= 3);
    assert.equal(await history.count(addressOf(0xab)), 0);
  });

  it('keep reports and usage by family', async () => {
    const reports = createReports(database, CHAIN_ID);
    const input = {
      verdict: verdictOf(addressOf(1)),
      verdicts: 1,
      creator: undefined,
      language: 'zh',
    } as const;
    const doc = composeTokenReport(input, ['verdict', 'method']);
    const report = { id: 'rep_1', address: addressOf(1), generatedAtMs: NOW_MS, doc };
    await reports.save('f1', report);
    assert.deepEqual(await reports.find('f1', 'rep_1'), report);
    assert.equal(await reports.find('f2', 'rep_1'), undefined);

    const usage = createUsage({ database, logger: silentLogger });
    const hourS = Math.floor(NOW_MS / 3_600_000) * 3_600;
    const request = { family: 'f1', keyId: 'k1', operation: 'getTokens', ms: 2, atMs: NOW_MS };
    for (const status of [200, 404, 304]) usage.record({ ...request, status });
    usage.record({ ...request, status: 200, atMs: NOW_MS - 3_600_000 });
    usage.record({ ...request, family: 'f2', keyId: 'k2', status: 200 });
    await usage.close();
    assert.deepEqual(await usage.hours('f1', hourS - 3_600), [
      { atS: hourS - 3_600, requests: 1, errors: 0, ms: 2 },
      { atS: hourS, requests: 3, errors: 1, ms: 6 },
    ]);
    const [row] = await database.query(
      `SELECT toUnixTimestamp64Milli(max(last_at)) AS last_ms FROM api_requests WHERE family = 'f1'`,
      {},
      lastRow,
    );
    assert.equal(row?.last_ms, NOW_MS);
  });
});
