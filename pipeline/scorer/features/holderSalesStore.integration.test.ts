import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import {
  addressOf as address,
  addressesOf,
  topicOf as hash,
} from '../../../shared/testing/evmData.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { createFactStore } from '../ingest/factStore.ts';
import { createReadCache } from '../readCache.ts';
import { createHolderSalesStore } from './holderSalesStore.ts';
import type { TradedMarket } from './readTrades.ts';

const CHAIN_ID = 1;
const FIRST_S = 1_700_000_000;
const [TOKEN, OTHER_TOKEN] = addressesOf(0xd1, 0xd2);
const [PAIR, OTHER_PAIR, MANAGER, FAKE_MANAGER] = addressesOf(0xb1, 0xb2, 0xb3, 0xb4);
const V4_POOL = hash(0xf4);
const [CREATOR, ALICE, BOB, TAXES] = addressesOf(0xc1, 0xc2, 0xc3, 0xc4);
const [ROUTER, OTHER_ROUTER] = addressesOf(0xe1, 0xe2);

const pairOf = (pair: Hex): TradedMarket => {
  const place = { market: pair, manager: ZERO_ADDRESS, holder: pair };
  return { ...place, isToken0: true, isUniswapV2: true };
};
const MARKETS: readonly TradedMarket[] = [
  pairOf(PAIR),
  pairOf(OTHER_PAIR),
  { market: V4_POOL, manager: MANAGER, holder: MANAGER, isToken0: false, isUniswapV2: false },
];

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

/** A log of a transaction, without its position. */
type Log = (place: { txHash: Hex; txIndex: number; logIndex: number }) => Fact;

const moved =
  (from: Hex, to: Hex, amount: number): Log =>
  (place) =>
    factOf('transfer', 0, { token: TOKEN, from, to, value: quantity(amount), ...place });
const inAndOut = (gained: number) =>
  [Math.max(0, gained), Math.max(0, -gained)].map(quantity) as [Hex, Hex];
/** The pair gains this much of its token 0, or pays it out if negative. */
const swapped = (pool: Hex, sender: Hex, gained: number): Log => {
  const [amount0In, amount0Out] = inAndOut(gained);
  const others = { amount1In: '0x1', amount1Out: '0x1' } as const;
  const swap = { pool, sender, to: sender, amount0In, amount0Out, ...others };
  return (place) => factOf('swap', 0, { ...swap, ...place });
};
/** The same for a Uniswap V4 pool of which it is token 1. */
const managed = (manager: Hex, gained: number): Log => {
  const [amount1In, amount1Out] = inAndOut(gained);
  const others = { amount0In: '0x1', amount0Out: '0x1', sender: ROUTER, to: ROUTER } as const;
  const market = { protocol: 'uniswap_v4', pool: V4_POOL, manager } as const;
  return (place) => factOf('swap', 0, { ...market, ...others, amount1In, amount1Out, ...place });
};

describe('trades of holders', () => {
  before(emptyTables);
  /** One block with a transaction for each list of logs. */
  const put = async (number: number, transactions: readonly (readonly Log[])[]): Promise<void> => {
    const facts = transactions.flatMap((logs, txIndex) =>
      logs.map((log, i) =>
        log({ txHash: hash(number * 100 + txIndex), txIndex, logIndex: txIndex * 10 + i }),
      ),
    );
    const block = { number, hash: hash(number), timestampS: FIRST_S + 12 * number, facts };
    await createFactStore(clickhouse).insert([blocksEvent([block], { chainId: CHAIN_ID })]);
  };
  const readAt = async (upTo: number) => {
    const store = createHolderSalesStore(clickhouse, createReadCache());
    const known = { creator: CREATOR, hasFailedSales: true };
    const asked = [
      { token: TOKEN, markets: MARKETS, ...known },
      { token: OTHER_TOKEN, markets: [pairOf(OTHER_PAIR)], ...known },
    ];
    const found = await store.read(CHAIN_ID, asked, upTo);
    assert.equal(found.get(OTHER_TOKEN), undefined);
    return found.get(TOKEN);
  };
  const tradesOf = async (block: number) => {
    const { trades = [] } = (await readAt(block)) ?? {};
    return trades
      .filter(({ blockNumber }) => blockNumber === block)
      .map(({ trader, isSale }) => [trader, isSale ? 'sold' : 'bought']);
  };

  it('are of who gained or lost most, whatever the tokens went through on the way', async () => {
    await put(1, [
      [moved(PAIR, ALICE, 100), swapped(PAIR, ROUTER, -100)],
      // A router passes on what it receives, minus a fee.
      [
        moved(PAIR, ROUTER, 100),
        moved(ROUTER, TAXES, 1),
        moved(ROUTER, BOB, 99),
        swapped(PAIR, ROUTER, -100),
      ],
      // A sale in which the token keeps a tax, while it sells what it kept before.
      [
        moved(TOKEN, PAIR, 500),
        swapped(PAIR, ROUTER, 500),
        moved(ALICE, TOKEN, 5),
        moved(ALICE, PAIR, 95),
        swapped(PAIR, ROUTER, 95),
      ],
      [moved(TOKEN, PAIR, 500), swapped(PAIR, ROUTER, 500), moved(CREATOR, ALICE, 1)],
      [moved(TOKEN, PAIR, 500), swapped(PAIR, ROUTER, 500)],
    ]);
    assert.deepEqual(await tradesOf(1), [
      [ALICE, 'bought'],
      [BOB, 'bought'],
      [ALICE, 'sold'],
      [CREATOR, 'sold'],
      [TOKEN, 'sold'],
    ]);
  });

  it('are no liquidity, no gifts, and nothing that only went from one market to another', async () => {
    await put(2, [
      [moved(ALICE, PAIR, 100)],
      [moved(PAIR, ALICE, 100)],
      [moved(ALICE, BOB, 100)],
      [moved(PAIR, OTHER_PAIR, 50), swapped(PAIR, ROUTER, -50), swapped(OTHER_PAIR, ROUTER, 50)],
    ]);
    assert.deepEqual(await tradesOf(2), []);
  });

  it('are seen in managers, by the logs of the manager alone', async () => {
    await put(3, [
      [moved(MANAGER, ALICE, 70), managed(MANAGER, -70)],
      [moved(ALICE, MANAGER, 70), managed(MANAGER, 70)],
      [moved(BOB, MANAGER, 70), managed(FAKE_MANAGER, 70)],
    ]);
    assert.deepEqual(await tradesOf(3), [
      [ALICE, 'bought'],
      [ALICE, 'sold'],
    ]);
  });

  it('name the router of most of them in each pool, up to the block', async () => {
    await put(4, [
      [moved(PAIR, ALICE, 10), swapped(PAIR, OTHER_ROUTER, -10)],
      [moved(PAIR, BOB, 10), swapped(PAIR, OTHER_ROUTER, -10)],
      [moved(PAIR, BOB, 10), swapped(PAIR, OTHER_ROUTER, -10)],
      [moved(PAIR, BOB, 10), swapped(PAIR, OTHER_ROUTER, -10)],
    ]);
    assert.equal((await readAt(3))?.routers.get(PAIR), ROUTER);
    assert.equal((await readAt(4))?.routers.get(PAIR), OTHER_ROUTER);
  });

  const [DIRECT, HUB, HIDDEN, CHAINED, LATE] = addressesOf(0xa1, 0xa2, 0xa3, 0xa4, 0xa5);
  const [EXCHANGE, SERVED, STRANGER, TWIN, OTHER_TWIN] = addressesOf(0xa6, 0xa7, 0xa8, 0xa9, 0xaa);
  const paid =
    (from: Hex, to: Hex, ether = 1): Log =>
    (place) => ({ kind: 'nativeTransfer', from, to, value: quantity(ether * 1e18), ...place });
  const bought = (wallet: Hex): Log[] => [moved(PAIR, wallet, 10), swapped(PAIR, ROUTER, -10)];
  const dependentsAt = async (block: number) => [...((await readAt(block))?.dependents ?? [])];

  it('leave out whom the creator paid before, itself or through others, and who trades with himself', async () => {
    const clients = Array.from({ length: 33 }, (_, i) => [paid(address(0x100 + i), EXCHANGE)]);
    const payments: Log[] = [
      paid(EXCHANGE, CREATOR),
      paid(CREATOR, SERVED, 1e-6),
      paid(EXCHANGE, SERVED),
      paid(CREATOR, HUB),
      paid(HUB, HIDDEN),
      paid(HIDDEN, CHAINED),
      paid(address(0xab), DIRECT),
      paid(CREATOR, DIRECT),
      paid(STRANGER, TWIN),
      paid(STRANGER, OTHER_TWIN),
    ];
    await put(5, [...clients, ...payments.map((one) => [one])]);
    const traders = [DIRECT, HIDDEN, CHAINED, LATE, SERVED, TWIN, OTHER_TWIN];
    await put(6, traders.map(bought));
    // Gifts to wallets that hold it already, and money that returns to its sender.
    const back = traders.map((one) => [paid(one, HUB)]);
    await put(7, [[paid(CREATOR, LATE)], [paid(CREATOR, ALICE)], ...back]);
    const dependents = [
      ...[CREATOR, DIRECT, HIDDEN, CHAINED].map((one) => [one, CREATOR]),
      [OTHER_TWIN, TWIN],
    ];
    assert.deepEqual(await dependentsAt(6), dependents);
    assert.deepEqual(await dependentsAt(7), dependents);
  });

  it('forget payments of blocks that a reorg takes back', async () => {
    const orphaned = [5, 6, 7].map((number) => ({ number, hash: hash(number) }));
    const ancestor = { number: 4, hash: hash(4), timestampS: FIRST_S + 48 };
    const reorg = { kind: 'reorg', chainId: CHAIN_ID, epoch: 1, ancestor, orphaned } as const;
    await createFactStore(clickhouse).insertTombstones(reorg);
    await put(8, [bought(HIDDEN), bought(CHAINED)]);
    assert.deepEqual(await dependentsAt(8), [[CREATOR, CREATOR]]);
  });
});
