import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { CHAIN_PROFILES } from '../../../shared/chain/chains.ts';
import {
  type Fact,
  isOtherMarket,
  type PoolCreatedFact,
  type SwapFact,
} from '../../../shared/chain/fact.ts';
import { factVersion } from '../../../shared/chain/version.ts';
import { type ConcentratedPool, changeLiquidity } from '../../../shared/market/concentratedPool.ts';
import { readCreatedMarkets } from '../../../shared/market/marketReads.ts';
import { saleDepth } from '../../../shared/market/saleDepth.ts';
import { sqrtPriceAtTick } from '../../../shared/market/tickMath.ts';
import { decodeChainEvent, encodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import {
  addressOf as address,
  addressesOf,
  topicOf as hash,
} from '../../../shared/testing/evmData.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { SAMPLE_FACTS } from '../../../shared/testing/sampleFacts.ts';
import { clickhouse as database, emptyTables } from '../../../shared/testing/tables.ts';
import { createMarketSides, createMarketSidesStore } from '../pool/marketSides.ts';
import { createPoolStore } from '../pool/poolStore.ts';
import { createFactStore, FACT_TABLES, type FactStore } from './factStore.ts';

const [TOKEN, BASE, POOL, FACTORY, MANAGER, FAKE, ROUTER, BUYER] = addressesOf(
  0xa1,
  0xa2,
  0xb1,
  0xf1,
  0xf2,
  0xf3,
  0xc1,
  0xc2,
);
const ID = hash(0x44);
const NATIVE = address(0);
const TICK = { sqrtPriceX96: '0x1000', tick: -3, liquidity: '0x9' } as const;

/** Of trades, and of the creation of the market in the manager. */
const ON_V3 = { protocol: 'uniswap_v3', after: TICK } as const;
const IN_MANAGER = { protocol: 'uniswap_v4', pool: ID, manager: MANAGER, after: TICK } as const;
const MADE_IN_MANAGER = {
  protocol: 'uniswap_v4',
  pool: ID,
  factory: MANAGER,
  token0: NATIVE,
  token1: TOKEN,
} as const;

/** Amounts in and out, of token 0 and of token 1. */
const flows = (amount0In: Hex, amount1In: Hex, amount0Out: Hex, amount1Out: Hex) => ({
  amount0In,
  amount1In,
  amount0Out,
  amount1Out,
});

const swapOf = (logIndex: number, own: Partial<SwapFact>): SwapFact => {
  const parties = { pool: POOL, sender: ROUTER, to: BUYER, txHash: hash(0x70 + logIndex) };
  return factOf('swap', logIndex, { ...parties, ...flows('0x0', '0x64', '0x7', '0x0'), ...own });
};

const rowSchema = z.record(z.unknown());
const TRADES = `SELECT protocol, market, created, trader, token_in, toString(amount_in) AS amount_in, token_out,
  toString(amount_out) AS amount_out, log_index, transaction_hash FROM trades WHERE chain_id = {chainId:UInt64} ORDER BY log_index`;
const MARKETS = `SELECT protocol, market, factory, token0, token1, fee, tick_spacing, stable, hooks FROM markets
  WHERE chain_id = {chainId:UInt64} ORDER BY log_index`;

/** The column of a field if its name differs. */
const columnOf = (fact: Fact, field: string): string => {
  const isMoney = fact.kind === 'transfer' || fact.kind === 'nativeTransfer';
  if (field === 'from') return 'from_address';
  if (field === 'to') return isMoney ? 'to_address' : 'recipient';
  if (field === 'pool')
    return isOtherMarket(fact) || fact.kind === 'poolCreated' ? 'market' : field;
  if (field === 'amount0' || field === 'amount1')
    return `${field}_${fact.kind === 'mint' ? 'in' : 'out'}`;
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
};
const OF_POSITION: ReadonlySet<string> = new Set(['owner', 'salt', 'liquidity']);

/** Every value of a fact by its column, numbers and bytes as decimal text. */
const valuesOf = (fact: Fact): Record<string, string> => {
  const text = (value: unknown): string =>
    typeof value === 'boolean' || String(value).startsWith('0x')
      ? BigInt(value as Hex).toString()
      : String(value);
  const isEvent = 'protocol' in fact && fact.kind !== 'poolCreated';
  const { kind, ...rest } = fact;
  const fields = Object.entries(rest).flatMap(([field, value]): [string, unknown][] => {
    if (field === 'protocol' && isEvent && !isOtherMarket(fact)) return [];
    if (typeof value !== 'object') return [[columnOf(fact, field), value]];
    return Object.entries(value).map(([inner, one]) => [
      columnOf(fact, field === 'range' && OF_POSITION.has(inner) ? `position_${inner}` : inner),
      one,
    ]);
  });
  return Object.fromEntries(
    [...fields, ...(isEvent ? [['kind', kind] as const] : [])].map(([name, value]) => [
      name,
      text(value),
    ]),
  );
};

describe('markets of all protocols in ClickHouse', () => {
  before(emptyTables);
  let facts: FactStore;
  let chainId = 0;

  before(() => {
    facts = createFactStore(database);
  });
  // Each test has a chain of its own.
  beforeEach(() => {
    chainId += 1;
  });

  /** Stores the facts of one block of a new chain, as they come from the stream. */
  const store = async (list: readonly Fact[], block = { number: 10, hash: hash(0xbb) }) => {
    const event = blocksEvent([{ ...block, timestampS: 1_700_000_000, facts: list }], { chainId });
    const received = decodeChainEvent(encodeChainEvent(event));
    assert.equal(received.kind, 'blocks');
    if (received.kind !== 'blocks') return [];
    await facts.insert([received]);
    return [received];
  };
  const ask = (sql: string, params: object = {}) =>
    database.query(sql, { chainId, ...params }, rowSchema);
  const trades = () => ask(TRADES);
  const markets = () => ask(MARKETS);
  /** Columns of rows, in this order. */
  const cellsOf = (rows: Awaited<ReturnType<typeof ask>>, ...columns: readonly string[]) =>
    rows.map((row) => (columns.length > 0 ? columns.map((name) => row[name]) : Object.values(row)));
  const created = (logIndex: number, own: Partial<PoolCreatedFact>): Fact => {
    const market = { factory: FACTORY, pool: POOL, token0: TOKEN, token1: BASE };
    return factOf('poolCreated', logIndex, { protocol: 'uniswap_v3', ...market, ...own });
  };
  const terms = { fee: 500, tickSpacing: 10, stable: false, hooks: address(0) };

  /** Rows of a table as text. */
  const rowsOf = async (table: string) => {
    const columns = await database.query(
      `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND default_kind = ''`,
      { table },
      z.object({ name: z.string(), type: z.string() }),
    );
    const cells = columns.map(({ name, type }) => {
      const isBytes = type.startsWith('FixedString');
      const time = type.startsWith('DateTime') ? `toUnixTimestamp(${name})` : name;
      return `'${name}', toString(${isBytes ? `reinterpretAsUInt256(reverse(${name}))` : time})`;
    });
    const sql = `SELECT map(${cells.join(', ')}) AS row FROM ${table} WHERE chain_id = {chainId:UInt64}`;
    return database.query(sql, { chainId }, z.object({ row: z.record(z.string()) }));
  };

  it('keeps every value of every fact, in the table and the columns of its kind', async () => {
    const blockOf = (fact: Fact, i: number) => {
      return { number: 10 + i, hash: hash(0xbb + i), timestampS: 1_700_000_000 + i, facts: [fact] };
    };
    const blocks = SAMPLE_FACTS.map(blockOf);
    await facts.insert([blocksEvent(blocks, { chainId, epoch: 3 })]);
    const rows = (await Promise.all(FACT_TABLES.map(rowsOf))).flat();
    const stored = new Map(rows.map(({ row }) => [row['block_number'], row]));
    for (const {
      number,
      hash: blockHash,
      timestampS,
      facts: [fact],
    } of blocks) {
      const row = stored.get(String(number));
      assert(fact);
      // A creation is stored with its token.
      if (fact.kind === 'creation') assert.equal(row, undefined);
      if (fact.kind === 'creation') continue;
      assert(row, fact.kind);
      const expected = {
        chain_id: String(chainId),
        block_number: String(number),
        block_hash: BigInt(blockHash).toString(),
        timestamp: String(timestampS),
        version: String(factVersion(3)),
        ...valuesOf(fact),
        // Seconds that a double counts exactly.
        ...(fact.kind === 'lock' && {
          unlock_at: String(Math.min(Number(fact.unlockAt), Number.MAX_SAFE_INTEGER)),
        }),
      };
      const others = Object.keys(row).filter((name) => !(name in expected));
      const zeros = Object.fromEntries(others.map((name) => [name, '0']));
      assert.deepEqual(row, { ...zeros, ...expected }, JSON.stringify(fact));
    }
  });

  it('shows a market of each protocol with its terms', async () => {
    await store([
      created(0, { protocol: 'uniswap_v2', pool: address(0xb0) }),
      created(1, { terms }),
      created(2, { protocol: 'solidly', pool: address(0xb2), terms: { ...terms, stable: true } }),
      created(3, {
        ...MADE_IN_MANAGER,
        terms: { fee: 0x80_0000, tickSpacing: 60, stable: false, hooks: address(0x1080) },
        price: { sqrtPriceX96: '0x5', tick: -7 },
      }),
      created(4, { protocol: 'four_meme', pool: TOKEN, factory: MANAGER, token1: NATIVE }),
    ]);
    const own = [FACTORY, TOKEN, BASE];
    const [made, none] = [await markets(), address(0)];
    assert.deepEqual(cellsOf(made), [
      ['uniswap_v2', address(0xb0), ...own, 3_000, 0, 0, none],
      ['uniswap_v3', POOL, ...own, 500, 10, 0, none],
      ['solidly', address(0xb2), ...own, 500, 10, 1, none],
      ['uniswap_v4', ID, MANAGER, NATIVE, TOKEN, 0x80_0000, 60, 0, address(0x1080)],
      ['four_meme', TOKEN, MANAGER, TOKEN, NATIVE, 0, 0, 0, none],
    ]);
  });

  it('shows who sold what for what, by the market that was created', async () => {
    const pair = address(0xb0);
    await store([
      created(0, { protocol: 'slipstream', terms }),
      created(1, MADE_IN_MANAGER),
      swapOf(2, { protocol: 'uniswap_v2', pool: pair }),
      swapOf(3, ON_V3),
      swapOf(4, { ...IN_MANAGER, to: NATIVE, ...flows('0x5', '0x0', '0x0', '0x8') }),
      swapOf(5, {
        protocol: 'balancer_v2',
        pool: hash(0x55),
        manager: MANAGER,
        sender: NATIVE,
        to: NATIVE,
        sides: { token0: TOKEN, token1: BASE },
      }),
    ]);
    const pools = createPoolStore(database);
    await pools.insert(chainId, [{ pool: pair, token0: TOKEN, token1: BASE }], 0);
    const bought = [BASE, '100', TOKEN, '7'];
    const at = (logIndex: number) => [logIndex, hash(0x70 + logIndex)];
    assert.deepEqual(cellsOf(await trades()), [
      ['uniswap_v2', pair, 1, BUYER, ...bought, ...at(2)],
      ['slipstream', POOL, 1, BUYER, ...bought, ...at(3)],
      ['uniswap_v4', ID, 1, ROUTER, NATIVE, '5', TOKEN, '8', ...at(4)],
      ['balancer_v2', hash(0x55), 0, NATIVE, ...bought, ...at(5)],
    ]);
  });

  it('knows what others are valued in as the profiles of chains and development chains do', async () => {
    const stored = cellsOf(await ask('SELECT chain_id, token, kind, decimals FROM base_tokens'));
    const { weth, stable } = DEVNET_ADDRESSES;
    const devnet = { chainId: 31_337, weth, stables: [{ address: stable, decimals: 6 }] };
    const expected = [...CHAIN_PROFILES.values(), devnet].flatMap((profile) => [
      [profile.chainId, profile.weth, 'native', 18],
      ...profile.stables.map(({ address: token, decimals }) => [
        profile.chainId,
        token,
        'stable',
        decimals,
      ]),
    ]);
    const byText = (rows: object[]) => rows.map((one) => JSON.stringify(one)).toSorted();
    assert.deepEqual(byText(stored), byText(expected));
  });

  it('shows what a trade was worth, by whichever side has a price, and the names of both', async () => {
    const profile = CHAIN_PROFILES.get(8_453);
    const [stable] = profile?.stables ?? [];
    assert.ok(profile && stable);
    chainId = profile.chainId;
    await database.exec(`INSERT INTO dim_tokens (chain_id, token, symbol, decimals, version)
      VALUES (${chainId}, unhex('${TOKEN.slice(2)}'), 'MEME', 9, 1)`);
    const wrapped = address(0xb9);
    const half = '0x6f05b59d3b20000';
    await store([
      created(0, { terms, token0: TOKEN, token1: stable.address }),
      created(1, { terms, pool: wrapped, token0: TOKEN, token1: profile.weth }),
      created(2, MADE_IN_MANAGER),
      swapOf(3, { ...ON_V3, amount1In: '0x1e8480' }),
      swapOf(4, { ...ON_V3, pool: wrapped, ...flows('0x5', '0x0', '0x0', '0xde0b6b3a7640000') }),
      swapOf(5, { ...IN_MANAGER, ...flows(half, '0x0', '0x0', '0x9') }),
      swapOf(6, { ...IN_MANAGER, manager: FAKE, ...flows(half, '0x0', '0x7', '0x0') }),
    ]);
    const sql = `SELECT symbol_in, decimals_in, symbol_out, decimals_out, value_usd, value_native FROM trades
      WHERE chain_id = {chainId:UInt64} ORDER BY log_index`;
    assert.deepEqual(cellsOf(await ask(sql)), [
      ['', 6, 'MEME', 9, 2, null],
      ['MEME', 9, '', 18, null, 1],
      ['', 18, 'MEME', 9, null, 0.5],
      ['', null, '', null, null, null],
    ]);
    const ofToken = `SELECT symbol, side, against, value_usd, price_usd, price_native, quantity FROM token_trades
      WHERE chain_id = {chainId:UInt64} AND token = {token:String} ORDER BY log_index`;
    const trade = z.object({
      symbol: z.string(),
      side: z.string(),
      against: z.string(),
      value_usd: z.number().nullable(),
      price_usd: z.number().nullable(),
      price_native: z.number().nullable(),
      quantity: z.number(),
    });
    const trades = await database.query(ofToken, { chainId, token: TOKEN }, trade);
    assert.deepEqual(
      trades.map(({ symbol, side, against, value_usd }) => [symbol, side, against, value_usd]),
      [
        ['MEME', 'buy', stable.address, 2],
        ['MEME', 'sell', profile.weth, null],
        ['MEME', 'buy', NATIVE, null],
      ],
    );
    const [bought, sold, boughtNative] = trades;
    assert.ok(bought && sold && boughtNative);
    assert.equal(bought.price_usd, 2 / bought.quantity);
    assert.equal(sold.price_native, 1 / 5e-9);
    assert.equal(boughtNative.price_native, 0.5 / 9e-9);
    const all = `SELECT token FROM token_trades WHERE chain_id = {chainId:UInt64}`;
    assert.equal((await ask(all)).length, 3);
  });

  it('shows what a market costs and what can be taken out of it now', async () => {
    const ofRange = (logIndex: number, tickLower: number, tickUpper: number, liquidity: Hex) => {
      const range = { owner: ROUTER, tickLower, tickUpper, liquidity, salt: hash(0) };
      return factOf('mint', logIndex, { protocol: 'uniswap_v3', pool: POOL, range });
    };
    const [pair, curve] = [address(0xb8), address(0xb7)];
    const sqrtPriceX96 = sqrtPriceAtTick(600) + 1n;
    const at = { sqrtPriceX96: `0x${sqrtPriceX96.toString(16)}` as Hex, tick: 600 };
    const trade = { ...at, liquidity: '0x0' as Hex };
    const onCurve = { protocol: 'four_meme', pool: curve } as const;
    const reserves = { reserve0: '0x64', reserve1: '0xc8' } as const;
    const list = [
      created(0, { terms }),
      ofRange(1, -600, 1_200, '0xde0b6b3a7640000'),
      ofRange(2, 60, 120, '0x1bc16d674ec80000'),
      ofRange(3, 900, 6_000, '0x6f05b59d3b20000'),
      ofRange(4, -300_000, -240_000, '0x6f05b59d3b20000'),
      swapOf(5, { protocol: 'uniswap_v3', after: trade }),
      created(6, { ...onCurve, factory: MANAGER, token0: curve, token1: NATIVE }),
      swapOf(7, { ...onCurve, manager: MANAGER, after: { reserve0: '0x64', reserve1: '0x7' } }),
      swapOf(8, { ...onCurve, manager: FAKE, after: { reserve0: '0x1', reserve1: '0x63' } }),
      created(9, { protocol: 'uniswap_v2', pool: pair }),
      factOf('sync', 10, { pool: pair, ...reserves }),
      created(11, { protocol: 'solidly', pool: address(0xb6), terms: { ...terms, stable: true } }),
    ];
    await store(list);
    const sql = `SELECT price, depth0, depth1, last_block FROM markets WHERE chain_id = {chainId:UInt64} ORDER BY log_index`;
    const number = z.number().nullable();
    const row = z.object({ price: number, depth0: number, depth1: number, last_block: z.number() });
    const [ticks, ...others] = await database.query(sql, { chainId }, row);
    const nothing = { liquidity: 0n, feePips: 0, tickSpacing: 60 };
    const book = [-600, 60, 900, -300_000].reduce(
      (pool, lower, i) => {
        const upper = [1_200, 120, 6_000, -240_000][i] ?? 0;
        return changeLiquidity(pool, { lower, upper, change: [2n, 4n, 1n, 1n][i] ?? 0n });
      },
      { ...at, sqrtPriceX96, ...nothing, ticks: new Map() } as ConcentratedPool,
    );
    const near = (actual: number | null | undefined, expected: number): void =>
      assert.ok(
        Math.abs((actual ?? Number.NaN) / expected - 1) < 1e-6,
        `${actual} for ${expected}`,
      );
    near(ticks?.price, 1.0001 ** 600);
    near(ticks?.depth1, saleDepth(book, true) * 5e17);
    near(ticks?.depth0, saleDepth(book, false) * 5e17);
    assert.deepEqual(others, [
      { price: 100 / 7, depth0: 100, depth1: 7, last_block: 10 },
      { price: 2, depth0: 100, depth1: 200, last_block: 10 },
      { price: null, depth0: null, depth1: null, last_block: 0 },
    ]);
  });

  it('does not take for a trade of a market what another contract than its manager logs', async () => {
    await store([
      created(0, { protocol: 'uniswap_v4', pool: ID, factory: MANAGER }),
      swapOf(1, { ...IN_MANAGER, manager: FAKE }),
      swapOf(2, IN_MANAGER),
    ]);
    assert.deepEqual(cellsOf(await trades(), 'log_index', 'created', 'token_in'), [
      [1, 0, NATIVE],
      [2, 1, BASE],
    ]);
  });

  it('keeps the sides of the first creation when somebody claims a market again', async () => {
    await store([
      created(0, { terms }),
      created(1, { factory: FAKE, protocol: 'solidly', token0: BASE, token1: ROUTER }),
      swapOf(2, ON_V3),
    ]);
    assert.deepEqual(cellsOf(await trades(), 'protocol', 'token_in'), [['uniswap_v3', BASE]]);
  });

  it('holds the largest amounts a log can have', async () => {
    const huge: Hex = `0x${'f'.repeat(63)}`;
    await store([
      created(0, { terms }),
      swapOf(1, { ...ON_V3, amount1In: huge, amount0Out: huge }),
    ]);
    const [trade] = cellsOf(await trades(), 'amount_in', 'amount_out');
    assert.deepEqual(trade, Array(2).fill(BigInt(huge).toString()));
  });

  it('asks a market that was created before for its tokens, once', async () => {
    const asked: Hex[][] = [];
    const poolReader = {
      read: async (pools: readonly Hex[]) => {
        asked.push([...pools]);
        return pools.flatMap((pool) =>
          pool === POOL ? [{ pool, token0: TOKEN, token1: BASE }] : [],
        );
      },
    };
    const list = [
      created(0, { pool: address(0xb5), terms }),
      swapOf(1, ON_V3),
      swapOf(2, { ...ON_V3, pool: address(0xb5) }),
      swapOf(3, { protocol: 'solidly', pool: address(0xb6) }),
      swapOf(4, IN_MANAGER),
      swapOf(5, { protocol: 'four_meme', pool: TOKEN, manager: MANAGER }),
      swapOf(6, { protocol: 'uniswap_v2', pool: address(0xb7) }),
    ];
    const events = await store(list);
    const sides = { chainId, store: createMarketSidesStore(database), poolReader };
    const first = createMarketSides(sides);
    await first.resolve(events, 0);
    await first.resolve(events, 0);
    assert.deepEqual(asked, [[POOL, address(0xb6)]]);
    // After a restart, answers are stored, and contracts without an answer are asked again.
    await createMarketSides(sides).resolve(events, 0);
    assert.deepEqual(asked.at(-1), [address(0xb6)]);
    assert.deepEqual(cellsOf(await trades(), 'log_index', 'created', 'token_in'), [
      [1, 0, BASE],
      [2, 1, BASE],
      [3, 0, NATIVE],
      [4, 0, NATIVE],
      [5, 0, NATIVE],
      [6, 0, NATIVE],
    ]);
    const made = cellsOf(await markets(), 'market');
    assert.deepEqual(made, [[address(0xb5)]], 'an answer is no creation');
    const place = { chainId, markets: [POOL, address(0xb5)], factories: [], upTo: 10 };
    const read = await readCreatedMarkets(database, place);
    assert.deepEqual(
      read.map(({ market }) => market),
      [address(0xb5)],
    );
  });

  it('does not take a market for created whose name was claimed for a pool of Uniswap V2', async () => {
    const claim = { protocol: 'uniswap_v2', factory: FAKE, token0: BASE, token1: ROUTER } as const;
    const events = await store([created(0, claim), swapOf(1, ON_V3)]);
    const poolReader = { read: async () => [{ pool: POOL, token0: TOKEN, token1: BASE }] };
    const sides = { chainId, store: createMarketSidesStore(database), poolReader };
    await createMarketSides(sides).resolve(events, 0);
    const found = cellsOf(await trades(), 'created', 'token_in', 'token_out');
    assert.deepEqual(found, [[0, BASE, TOKEN]]);
    assert.deepEqual(cellsOf(await markets(), 'protocol', 'token0'), [['uniswap_v2', BASE]]);
    const place = { chainId, markets: [POOL], factories: [], upTo: 10 };
    assert.deepEqual(await readCreatedMarkets(database, place), []);
  });

  it('asks a market again whose trade a reorg orphaned, and keeps other answers', async () => {
    const [before, orphaned] = [address(0xb8), address(0xb9)];
    let answer = TOKEN;
    const asked: Hex[] = [];
    const poolReader = {
      read: async (pools: readonly Hex[]) => {
        asked.push(...pools);
        return pools.map((pool) => ({ pool, token0: answer, token1: BASE }));
      },
    };
    const stored = createMarketSidesStore(database);
    const sides = createMarketSides({ chainId, store: stored, poolReader });
    const trade = (n: number, pool: Hex) => swapOf(n, { ...ON_V3, pool });
    await sides.resolve(await store([trade(0, before)]), 0);
    const lost = { number: 11, hash: hash(0xbc) };
    await sides.resolve(await store([trade(1, before), trade(2, orphaned)], lost), 0);
    assert.deepEqual(asked, [before, orphaned]);
    const ancestor = { number: 10, hash: hash(0xbb), timestampS: 1_700_000_000 };
    const reorg = { kind: 'reorg', chainId, epoch: 1, ancestor, orphaned: [lost] } as const;
    for (let times = 0; times < 2; times += 1) await facts.insertTombstones(reorg);
    sides.forget();
    assert.deepEqual(await stored.known(chainId, [before, orphaned]), [before]);
    answer = NATIVE;
    const other = { number: 11, hash: hash(0xbd) };
    await sides.resolve(await store([trade(1, before), trade(2, orphaned)], other), 1);
    assert.deepEqual(asked, [before, orphaned, orphaned]);
    assert.deepEqual((await stored.known(chainId, [before, orphaned])).toSorted(), [
      before,
      orphaned,
    ]);
  });

  it('takes back what a reorg orphaned, keeps a row that came twice once', async () => {
    const list = [
      created(0, { terms }),
      created(1, { protocol: 'uniswap_v4', pool: ID, factory: MANAGER }),
      swapOf(2, ON_V3),
      swapOf(3, IN_MANAGER),
    ];
    await store(list);
    await store(list);
    assert.deepEqual([(await markets()).length, (await trades()).length], [2, 2]);
    const orphaned = { number: 11, hash: hash(0xbc) };
    await store([swapOf(4, ON_V3)], orphaned);
    assert.equal((await trades()).length, 3);
    const ancestor = { number: 10, hash: hash(0xbb), timestampS: 1_700_000_000 };
    const reorg = { kind: 'reorg', chainId, epoch: 1, ancestor, orphaned: [orphaned] } as const;
    await facts.insertTombstones(reorg);
    await facts.insertTombstones(reorg);
    assert.deepEqual(cellsOf(await trades(), 'log_index'), [[2], [3]]);
    await facts.insertTombstones({
      ...reorg,
      epoch: 2,
      ancestor: { ...ancestor, number: 9 },
      orphaned: [{ number: 10, hash: hash(0xbb) }],
    });
    assert.deepEqual([await markets(), await trades()], [[], []]);
  });
});
