import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { addressesOf } from '../../../shared/testing/evmData.ts';
import { graphOfBlock } from './graphOfBlock.ts';

const [CREATOR, ALICE, BOB, ROUTER, POOL, TOKEN, OLD, WETH] = addressesOf(1, 2, 3, 4, 5, 6, 7, 8);
const TX: Hex = `0x${'11'.repeat(32)}`;
const COIN = 10n ** 18n;
const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

let logIndex = 0;
const place = (txHash: Hex) => {
  logIndex += 1;
  return { txHash, txIndex: 0, logIndex };
};
const transfer = (token: Hex, from: Hex, to: Hex, value = COIN, txHash = TX): Fact => ({
  kind: 'transfer',
  token,
  from,
  to,
  value: hexOf(value),
  ...place(txHash),
});
const native = (from: Hex, to: Hex, value = COIN, txHash = TX): Fact => ({
  kind: 'nativeTransfer',
  from,
  to,
  value: hexOf(value),
  txHash,
  txIndex: 0,
});
const swap = (): Fact => ({
  kind: 'swap',
  protocol: 'uniswap_v2',
  pool: POOL,
  sender: ROUTER,
  to: ALICE,
  amount0In: '0x0',
  amount1In: '0x0',
  amount0Out: '0x0',
  amount1Out: '0x0',
  ...place(TX),
});
const burn = (to: Hex): Fact => ({
  kind: 'burn',
  protocol: 'uniswap_v2',
  pool: POOL,
  sender: ROUTER,
  to,
  amount0: '0x1',
  amount1: '0x1',
  ...place(TX),
});
const mint = (): Fact => ({
  kind: 'mint',
  protocol: 'uniswap_v2',
  pool: POOL,
  sender: ROUTER,
  amount0: '0x1',
  amount1: '0x1',
  ...place(TX),
});

const factsOf = (facts: Fact[]): string[] =>
  graphOfBlock(
    { number: 1, hash: TX, timestampS: 1, facts },
    { creatorOf: (token) => (token === TOKEN ? CREATOR : undefined), weth: WETH },
  ).map(
    ({ kind, from, to, value }) =>
      `${Number(from)} ${kind} ${Number(to)}${value > 0 ? ` ${value}` : ''}`,
  );

describe('graphOfBlock', () => {
  it('keeps native currency, but no dust, nothing to oneself and no price of something', () => {
    assert.deepEqual(factsOf([native(ALICE, BOB)]), ['2 native 3 1']);
    assert.deepEqual(factsOf([native(ALICE, BOB, COIN / 10_000n)]), []);
    assert.deepEqual(factsOf([native(ALICE, ALICE)]), []);
    assert.deepEqual(factsOf([native(ALICE, ROUTER), transfer(OLD, ROUTER, ALICE)]), []);
  });

  it('records who bought and sold a young token, with what it was worth', () => {
    const bought = [transfer(WETH, ROUTER, POOL, 2n * COIN), transfer(TOKEN, POOL, ALICE), swap()];
    assert.deepEqual(factsOf(bought), ['2 bought 6 2']);
    const sold = [transfer(TOKEN, ALICE, POOL), transfer(WETH, POOL, ROUTER), swap()];
    assert.deepEqual(factsOf(sold), ['2 sold 6 1']);
  });

  it('records who was paid for what another sold, unless it only passed it on', () => {
    const sold = (to: Hex) =>
      factsOf([transfer(TOKEN, ALICE, POOL), transfer(WETH, POOL, to), swap()]);
    assert.deepEqual(sold(BOB), ['2 sold 6 1', '2 proceeds 3 1']);
    assert.deepEqual(sold(ALICE), ['2 sold 6 1']);
  });

  it('leaves out tokens that are not young', () => {
    assert.deepEqual(factsOf([transfer(OLD, POOL, ALICE), swap()]), []);
    assert.deepEqual(factsOf([transfer(OLD, ALICE, BOB)]), []);
  });

  it('records what moved between wallets; what the contract made, its creator gave', () => {
    assert.deepEqual(factsOf([transfer(TOKEN, ALICE, BOB)]), ['2 token 3']);
    assert.deepEqual(factsOf([transfer(TOKEN, ZERO_ADDRESS, BOB)]), ['1 token 3']);
    assert.deepEqual(factsOf([transfer(TOKEN, ZERO_ADDRESS, CREATOR)]), []);
    assert.deepEqual(factsOf([transfer(TOKEN, ALICE, ZERO_ADDRESS)]), []);
    assert.deepEqual(factsOf([transfer(TOKEN, ALICE, TOKEN)]), []);
  });

  it('records who added liquidity', () => {
    const added = [
      transfer(TOKEN, CREATOR, POOL),
      transfer(WETH, ROUTER, POOL, 5n * COIN),
      transfer(POOL, ZERO_ADDRESS, ZERO_ADDRESS),
      transfer(POOL, ZERO_ADDRESS, CREATOR),
      mint(),
    ];
    assert.deepEqual(factsOf(added), ['1 lpAdded 6 5']);
  });

  it('records who removed liquidity and to whose benefit, through a router too', () => {
    const removed = (receiver: Hex) => [
      transfer(POOL, CREATOR, POOL),
      transfer(TOKEN, POOL, ROUTER),
      transfer(WETH, POOL, ROUTER, 5n * COIN),
      burn(ROUTER),
      transfer(TOKEN, ROUTER, receiver),
    ];
    assert.deepEqual(factsOf(removed(CREATOR)), ['1 lpRemoved 6 5']);
    assert.deepEqual(factsOf(removed(BOB)), ['1 lpRemoved 6 5', '1 lpPaid 3 5']);
  });

  const NO_SALT: Hex = `0x${'00'.repeat(32)}`;
  const range = {
    owner: ROUTER,
    tickLower: -60,
    tickUpper: 60,
    liquidity: '0x1',
    salt: NO_SALT,
  } as const;
  const ofV3 = { protocol: 'uniswap_v3', pool: POOL, amount0: '0x1', amount1: '0x1' } as const;
  const inManager = { protocol: 'uniswap_v4', pool: TX, manager: POOL } as const;

  it('records trades, their worth and their proceeds on markets of other protocols', () => {
    const tradeOn = (market: Partial<Extract<Fact, { kind: 'swap' }>>): Fact =>
      ({ ...swap(), ...market }) as Fact;
    const bought = [transfer(WETH, ROUTER, POOL, 2n * COIN), transfer(TOKEN, POOL, ALICE)];
    const sold = [transfer(TOKEN, ALICE, POOL), transfer(WETH, POOL, BOB)];
    for (const market of [
      { protocol: 'uniswap_v3' },
      { protocol: 'solidly' },
      inManager,
    ] as const) {
      assert.deepEqual(factsOf([...bought, tradeOn(market)]), ['2 bought 6 2']);
      assert.deepEqual(factsOf([...sold, tradeOn(market)]), ['2 sold 6 1', '2 proceeds 3 1']);
    }
    const cost = hexOf(3n * COIN);
    const native = (own: object) =>
      tradeOn({ ...inManager, amount0In: '0x0', amount0Out: '0x0', ...own });
    assert.deepEqual(factsOf([transfer(TOKEN, POOL, ALICE), native({ amount0In: cost })]), [
      '2 bought 6 3',
    ]);
    assert.deepEqual(factsOf([transfer(TOKEN, ALICE, POOL), native({ amount0Out: cost })]), [
      '2 sold 6 3',
    ]);
    const curve = { protocol: 'four_meme', pool: TOKEN, manager: POOL } as const;
    assert.deepEqual(
      factsOf([transfer(TOKEN, POOL, ALICE), tradeOn({ ...curve, amount1In: cost })]),
      ['2 bought 6 3'],
    );
    assert.deepEqual(
      factsOf([transfer(TOKEN, ALICE, POOL), tradeOn({ ...curve, amount1Out: cost })]),
      ['2 sold 6 3'],
    );
  });

  it('records who added concentrated liquidity, and who was paid what was taken out', () => {
    const paid = [transfer(TOKEN, CREATOR, POOL), transfer(WETH, ROUTER, POOL, 5n * COIN)];
    const mintOf = (fact: object): Fact =>
      ({ kind: 'mint', sender: ROUTER, ...ofV3, range, ...fact, ...place(TX) }) as Fact;
    const burnOf = (fact: object): Fact =>
      ({ kind: 'burn', sender: ROUTER, to: ROUTER, ...ofV3, range, ...fact, ...place(TX) }) as Fact;
    const collect: Fact = {
      kind: 'collect',
      sender: ROUTER,
      to: ROUTER,
      ...ofV3,
      range,
      ...place(TX),
    };
    assert.deepEqual(factsOf([...paid, mintOf({})]), ['1 lpAdded 6 5']);
    assert.deepEqual(factsOf([...paid, mintOf(inManager)]), ['1 lpAdded 6 5']);

    const left = (to: Hex) => [transfer(TOKEN, POOL, to), transfer(WETH, POOL, to, 5n * COIN)];
    assert.deepEqual(factsOf([burnOf({})]), [], 'nothing has left the pool yet');
    assert.deepEqual(factsOf([...left(CREATOR), collect]), ['1 lpRemoved 6 5']);
    const unwrapped = [...left(ROUTER), collect, transfer(TOKEN, ROUTER, CREATOR)];
    assert.deepEqual(factsOf(unwrapped), ['1 lpRemoved 6 5']);
    assert.deepEqual(factsOf([...left(CREATOR), burnOf(inManager)]), ['1 lpRemoved 6 5']);
  });
});
