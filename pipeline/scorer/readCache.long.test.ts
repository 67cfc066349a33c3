import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import type { BlockFacts } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import { verdictDocSchema } from '../../shared/messages/verdictDoc.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { addressOf as address, topicOf as hash } from '../../shared/testing/evmData.ts';
import { createRandom, type Random } from '../../shared/testing/random.ts';
import { clickhouse } from '../../shared/testing/tables.ts';
import { createContractStore } from './contract/contractStore.ts';
import { createFeatureStore } from './features/featureStore.ts';
import { createHolderSalesStore } from './features/holderSalesStore.ts';
import { readPayers } from './features/payerStore.ts';
import { createWalletStore } from './features/walletStore.ts';
import { createFactStore } from './ingest/factStore.ts';
import { createLockStore } from './locks/lockStore.ts';
import { createLaunchStore } from './pool/launchStore.ts';
import { createPoolStore } from './pool/poolStore.ts';
import { createTokenMarketStore } from './pool/tokenMarkets.ts';
import { createReadCache, NO_CACHE, type ReadCache, type Rows } from './readCache.ts';
import { contractOf } from './testing/checkInputOf.ts';
import { createTokenStore } from './token/tokenStore.ts';
import { createVerdictStore, type StoredVerdict } from './verdict/verdictStore.ts';

const CHAIN_ID = 7;
const STEPS = 36;
const WRITES_PER_STEP = 3;
const FACTS_PER_MESSAGE = 5;
const FIRST_S = 1_700_000_000;
const GOLDEN = join(projectRoot(), 'shared/messages/golden/verdictDoc.v1.r1.json');
const doc = verdictDocSchema.parse(JSON.parse(readFileSync(GOLDEN, 'utf8')).messages[0]);

const several = (first: number, count: number): Hex[] =>
  Array.from({ length: count }, (_, i) => address(first + i));
const TOKENS = several(0xa0, 3);
const POOLS = several(0xb0, 4);
const WALLETS = several(0xc0, 4);
const CREATORS = several(0xd0, 2);
const [BASE, FACTORY, LOCKER] = several(0xe0, 3) as [Hex, Hex, Hex];
const SKELETONS = [hash(1), hash(2)];
const MINIMA = Array.from({ length: 32 }, (_, i) => i);
const READ_AT_MS = 1_000;
const ETHER = 10n ** 18n;

type Stores = ReturnType<typeof openStores>;

/** All stores whose reads are cached, and those that report their inserts. */
const openStores = (clickhouse: Clickhouse, cache: ReadCache) => ({
  cache,
  clickhouse,
  features: createFeatureStore(clickhouse, cache),
  holderSales: createHolderSalesStore(clickhouse, cache),
  markets: createTokenMarketStore(clickhouse, cache),
  locks: createLockStore(clickhouse, cache),
  launches: createLaunchStore(clickhouse, cache),
  wallets: createWalletStore(clickhouse, cache),
  contracts: createContractStore(clickhouse, cache),
  verdicts: createVerdictStore(clickhouse, cache),
});

/** The same database with each result cached until `renew` is called: nothing is written in between. */
const askedOnce = (clickhouse: Clickhouse) => {
  const answers = new Map<string, Promise<unknown[]>>();
  const query: Clickhouse['query'] = (sql, params, row) => {
    const asked = JSON.stringify([sql, params]);
    const answer = answers.get(asked) ?? clickhouse.query(sql, params, row);
    answers.set(asked, answer);
    return answer as ReturnType<typeof clickhouse.query>;
  };
  return { database: { ...clickhouse, query }, renew: () => answers.clear() };
};

/** All inputs of a block's verdicts. */
const answersOf = async (stores: Stores, upTo: number) => {
  const { features, holderSales, markets, locks, launches, wallets, contracts, verdicts } = stores;
  const facts = await features.read(CHAIN_ID, TOKENS, [BASE], upTo);
  const held = TOKENS.map((token) => ({
    token,
    pools: (facts.pools.get(token) ?? []).map(({ pool_address: pool }) => pool),
    concentrated: [],
  }));
  const places = [...facts.profiles.values()].flatMap(({ address: token, creator_address }) =>
    POOLS.slice(0, 1).map((holder) => ({ token, creator: creator_address, holder })),
  );
  const owned = TOKENS.map((token) => {
    return {
      token,
      creator: creatorOf(token),
      createdS: FIRST_S,
      stored: facts.transfers.get(token),
      asOfS: FIRST_S * 2,
    };
  });
  const traded = held.map(({ token, pools }) => ({
    token,
    creator: creatorOf(token),
    hasFailedSales: facts.touches.get(token)?.hasFailedSales ?? false,
    markets: pools.map((pool) => {
      const place = { market: pool, manager: ZERO_ADDRESS, holder: pool };
      return { ...place, isToken0: true, isUniswapV2: true };
    }),
  }));
  const profiles = new Map(
    SKELETONS.map((skeleton, i) => [address(0xf0 + i), contractOf({ skeleton, minima: MINIMA })]),
  );
  const place = { chainId: CHAIN_ID, tokens: TOKENS, bases: [BASE], upTo };
  const [found, trades, payers, locked, launched, series, known, twins, near, last] =
    await Promise.all([
      markets.find(place),
      holderSales.read(CHAIN_ID, traded, upTo),
      readPayers(stores, { chainId: CHAIN_ID, upTo }, WALLETS),
      locks.read(CHAIN_ID, held, upTo),
      launches.read(CHAIN_ID, places, upTo),
      wallets.read(CHAIN_ID, owned, upTo),
      contracts.read(CHAIN_ID, TOKENS),
      contracts.twins(CHAIN_ID, profiles),
      contracts.nearScams(CHAIN_ID, profiles),
      verdicts.last(CHAIN_ID, TOKENS),
    ]);
  const texts = (rows: readonly object[]): string[] =>
    rows.map((row) => JSON.stringify(row)).toSorted();
  return {
    profiles: TOKENS.map((token) => facts.profiles.get(token)),
    pools: TOKENS.map((token) => texts(facts.pools.get(token) ?? [])),
    creators: CREATORS.map((creator) => facts.creatorTokens.get(creator)),
    markets: found.map(({ token, pool, kind }) => [token, pool, kind].join()).toSorted(),
    touches: TOKENS.map((token) => facts.touches.get(token)),
    holders: TOKENS.map((token) => facts.holders.get(token)),
    transfers: TOKENS.map((token) => series.get(token)?.transfers),
    fundings: TOKENS.map((token) => new Map(series.get(token)?.fundings)),
    trades: TOKENS.map((token) => trades.get(token)),
    payers: WALLETS.map((wallet) => payers.get(wallet)),
    locked,
    launched,
    known,
    twins,
    near,
    last,
  };
};

/** Creator of a token. */
const creatorOf = (token: Hex): Hex =>
  CREATORS[TOKENS.indexOf(token) % CREATORS.length] ?? ZERO_ADDRESS;
/** The token that a pool trades. */
const tokenOf = (pool: Hex): Hex => TOKENS[POOLS.indexOf(pool) % TOKENS.length] ?? ZERO_ADDRESS;

/** Random facts on few subjects, so that they interact. */
const factOf = (random: Random, logIndex: number, block: number): Fact => {
  const place = { txHash: hash(block * 100 + logIndex), txIndex: logIndex, logIndex };
  /** Transfers and swaps of one transaction make trades. */
  const trade = { ...place, txHash: hash(block) };
  const [token, pool, wallet] = [random.pick(TOKENS), random.pick(POOLS), random.pick(WALLETS)];
  const amount = hash(1 + random.below(1_000));
  const own = { ...place, protocol: 'uniswap_v2', pool } as const;
  const from = random.pick([...WALLETS, ...CREATORS, ...POOLS]);
  const to = random.pick([...WALLETS, ...POOLS]);
  switch (random.below(10)) {
    case 0:
      return {
        kind: 'transfer',
        ...trade,
        token: random.pick([token, pool]),
        from,
        to,
        value: amount,
      };
    case 1:
      // Creators are paid too.
      return {
        kind: 'nativeTransfer',
        ...place,
        from,
        to: pool === POOLS[0] ? creatorOf(token) : wallet,
        // Some payments exceed dust; dust funds nothing.
        value: BigInt(amount) % 4n === 0n ? amount : `0x${ETHER.toString(16)}`,
      };
    case 2:
      return { kind: 'sync', ...own, reserve0: amount, reserve1: amount };
    case 3:
      return {
        kind: 'ownershipTransferred',
        ...place,
        contract: token,
        previousOwner: from,
        newOwner: to,
      };
    case 4: {
      const protocol = random.pick(['uniswap_v2', 'solidly'] as const);
      return {
        kind: 'poolCreated',
        ...own,
        protocol,
        factory: FACTORY,
        token0: tokenOf(pool),
        token1: BASE,
      };
    }
    case 5: {
      const lock = { locker: LOCKER, lockId: hash(block), asset: random.pick([token, pool]) };
      const rest = { position: '0x0', owner: wallet, amount, unlockAt: hash(FIRST_S * 2) } as const;
      return { kind: 'lock', ...place, act: 'locked', ...lock, ...rest };
    }
    case 6: {
      const bought = { amount0In: amount, amount1In: '0x0', amount0Out: '0x0' } as const;
      return {
        kind: 'swap',
        ...own,
        ...trade,
        sender: FACTORY,
        to: wallet,
        ...bought,
        amount1Out: amount,
      };
    }
    case 7:
    case 8:
      return { kind: 'failedSale', ...place, token, seller: wallet, router: FACTORY };
    default:
      return { kind: 'transfer', ...trade, token, from: POOLS[0] ?? from, to, value: amount };
  }
};

const verdictOn = (random: Random, token: Hex, position: number): StoredVerdict => ({
  chainId: CHAIN_ID,
  token,
  name: `name ${position}`,
  symbol: 'T',
  creator: creatorOf(token),
  createdAtS: FIRST_S,
  analyzedAtMs: FIRST_S * 1_000 + (position % 1_000),
  position,
  horizonS: 0,
  asOfS: FIRST_S,
  isInForce: true,
  holders: [],
  verdict: {
    prediction: random.pick(['SCAM', 'LEGIT']),
    probability: 0.5,
    margin: 0,
    baseValue: 0,
    contributions: {},
    confidence: random.below(100) / 100,
    riskScore: random.below(100),
    doc,
  },
});

/**
 * A random chain, as a scorer writes it with all derived data; `upTo` is the last block that is stored in full.
 */
const createWriter = (clickhouse: Clickhouse, cache: ReadCache, random: Random) => {
  const stores = {
    facts: createFactStore(clickhouse, cache),
    tokens: createTokenStore(clickhouse, cache),
    pools: createPoolStore(clickhouse, cache),
  };
  const contracts = createContractStore(clickhouse, cache);
  const verdicts = createVerdictStore(clickhouse, cache);
  let upTo = 0;
  let epoch = 0;
  let part: BlockFacts | undefined;
  const headerOf = (number: number) => {
    return { number, hash: hash(epoch * 10_000 + number), timestampS: FIRST_S + 12 * number };
  };
  const insert = (block: BlockFacts, isLast: boolean) =>
    stores.facts.insert([blocksEvent([block], { chainId: CHAIN_ID, epoch, last: isLast })]);
  /** A block may arrive in two messages, with reads in between; a message may be repeated. */
  const storeBlock = async (): Promise<void> => {
    const facts = Array.from({ length: FACTS_PER_MESSAGE }, (_, i) =>
      factOf(random, i + (part ? 10 : 0), upTo + 1),
    );
    const isWhole = part !== undefined || random.oneIn(2);
    const block = { ...headerOf(upTo + 1), facts };
    await insert(block, isWhole);
    if (random.oneIn(4)) await insert(block, isWhole);
    part = isWhole ? undefined : block;
    if (isWhole) upTo += 1;
  };
  const reorganise = async (): Promise<void> => {
    const ancestor = headerOf(Math.max(0, upTo - 1 - random.below(3)));
    const orphaned = [];
    for (let number = ancestor.number + 1; number <= upTo + 1; number += 1) {
      for (let old = 0; old <= epoch; old += 1) {
        orphaned.push({ number, hash: hash(old * 10_000 + number) });
      }
    }
    epoch += 1;
    const reorg = { kind: 'reorg', chainId: CHAIN_ID, epoch, ancestor, orphaned } as const;
    await stores.facts.insertTombstones(reorg);
    await stores.tokens.insertTombstones(reorg);
    await stores.pools.insertTombstones(reorg);
    cache.forget();
    upTo = ancestor.number;
    part = undefined;
  };
  const confirmToken = (): Promise<void> => {
    const { number, hash: blockHash, timestampS } = headerOf(upTo + random.below(2));
    const token = random.pick(TOKENS);
    const creator = creatorOf(token);
    const named = { chainId: CHAIN_ID, token, name: `${upTo}`, symbol: 'T', decimals: 18 };
    const created = { createdBlock: number, createdBlockHash: blockHash, createdAtS: timestampS };
    const rest = {
      totalSupply: undefined,
      confirmedBy: 'calls',
      creatorSource: 'deployment',
    } as const;
    const record = {
      ...named,
      ...created,
      ...rest,
      creator,
      createdTx: ZERO_HASH,
      codeHash: ZERO_HASH,
    };
    return stores.tokens.insert([record], epoch);
  };
  const adoptPool = (): Promise<void> => {
    const pool = random.pick(POOLS);
    return stores.pools.insert(CHAIN_ID, [{ pool, token0: tokenOf(pool), token1: BASE }], epoch);
  };
  const readContract = async (step: number): Promise<void> => {
    const profile = contractOf({
      skeleton: random.pick(SKELETONS),
      minima: MINIMA,
      blockNumber: upTo,
    });
    const token = random.pick(TOKENS);
    await contracts.insert(CHAIN_ID, new Map([[token, profile]]), READ_AT_MS + step);
    const scamCheck = random.pick(['', 'mint_power']);
    await contracts.label(CHAIN_ID, [{ token, profile, scamCheck }], READ_AT_MS + step);
  };
  const judge = async (step: number): Promise<void> => {
    const token = random.pick(TOKENS);
    const verdict = verdictOn(random, token, chainPosition(epoch, upTo) + step);
    const last = await createVerdictStore(clickhouse).last(CHAIN_ID, [token]);
    await verdicts.insert([verdict], [], last);
  };
  return {
    upTo: () => upTo,
    write: async (step: number): Promise<void> => {
      const what = random.below(20);
      if (what === 0) await reorganise();
      else if (what < 4) await confirmToken();
      else if (what < 6) await adoptPool();
      else if (what < 9) await readContract(step);
      else if (what < 11) await judge(step);
      else await storeBlock();
    },
  };
};

/** A cache to which some of the written rows are not reported. */
const cacheWithout = (
  isMissed: (row: Rows) => boolean,
  change: Partial<ReadCache> = {},
): ReadCache => {
  const cache = createReadCache();
  const changed: ReadCache['changed'] = (rows, block, updates) =>
    cache.changed(
      [...rows].filter((row) => !isMissed(row)),
      block,
      updates,
    );
  return { ...cache, changed, ...change };
};

const KINDS = [
  'transfers',
  'token',
  'markets',
  'events',
  'ownership',
  'locks',
  'funds',
  'failures',
  'creator',
  'code',
];
/** Caches that each lack one of the reports that keep them up to date. */
const FAULTY: ReadonlyMap<string, () => ReadCache> = new Map([
  ...KINDS.map((kind) => [kind, () => cacheWithout((row) => row.startsWith(kind))] as const),
  ['scams', () => cacheWithout((row) => row === 'code scams')],
  ['reorgs', () => cacheWithout(() => false, { forget: () => undefined })],
  ['verdicts and profiles', () => cacheWithout(() => false, { update: () => undefined })],
  [
    'blocks that are not whole',
    () => {
      const cache = createReadCache();
      return { ...cache, changed: (rows) => cache.changed(rows) };
    },
  ],
]);

/** Passes every report on to all of them. */
const toAll = (caches: readonly ReadCache[]): ReadCache => ({
  ...NO_CACHE,
  update: (update) => {
    for (const one of caches) one.update(update);
  },
  changed: (...change) => {
    for (const one of caches) one.changed(...change);
  },
  forget: () => {
    for (const one of caches) one.forget();
  },
});

describe('cached reads', () => {
  it('are what is stored, and would not be if any change were missed', async (context) => {
    const { database, renew } = askedOnce(clickhouse);
    const faulty = new Map([...FAULTY].map(([name, make]) => [name, openStores(database, make())]));
    const caching = openStores(database, createReadCache());
    const plain = openStores(database, NO_CACHE);
    const caches = [caching, ...faulty.values()].map(({ cache }) => cache);
    const writer = createWriter(clickhouse, toAll(caches), createRandom(1));
    for (let step = 1; step <= STEPS; step += 1) {
      for (let i = 0; i < WRITES_PER_STEP; i += 1) await writer.write(step * WRITES_PER_STEP + i);
      renew();
      const upTo = writer.upTo();
      const stored = await answersOf(plain, upTo);
      assert.deepEqual(await answersOf(caching, upTo), stored, `step ${step}`);
      for (const [name, stores] of faulty) {
        const answers = await answersOf(stores, upTo);
        try {
          assert.deepEqual(answers, stored);
        } catch {
          context.diagnostic(`without ${name}: wrong at step ${step}`);
          faulty.delete(name);
        }
      }
    }
    assert.deepEqual([...faulty.keys()], [], 'reports whose lack was not noticed');
  });

  it('are dropped where a write failed', async () => {
    const cache = createReadCache();
    const asked: string[] = [];
    const read = () =>
      cache.read({
        of: 'test',
        keys: ['one'],
        dependsOn: () => [],
        read: async (missing) => {
          asked.push(...missing);
          return new Map([['one', 1]]);
        },
      });
    await read();
    await read();
    assert.deepEqual(asked, ['one']);
    await assert.rejects(cache.write(() => Promise.reject(new Error('cut off'))));
    await read();
    assert.deepEqual(asked, ['one', 'one']);
  });
});
