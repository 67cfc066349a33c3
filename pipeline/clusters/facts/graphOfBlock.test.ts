import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { Fact, SwapFact } from '../../../shared/chain/fact.ts';
import { addressesOf, topicOf } from '../../../shared/testing/evmData.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { graphOfBlock } from './graphOfBlock.ts';

const [CREATOR, ALICE, BOB, ROUTER, POOL, TOKEN, OLD, WETH] = addressesOf(1, 2, 3, 4, 5, 6, 7, 8);
const TX = topicOf(1);
const COIN = 10n ** 18n;
const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

const ofPool = { pool: POOL, sender: ROUTER } as const;

const transfer = (token: Hex, from: Hex, to: Hex, value = COIN): Fact =>
  factOf('transfer', 1, { token, from, to, value: hexOf(value) });
const native = (from: Hex, to: Hex, value = COIN): Fact =>
  factOf('nativeTransfer', 1, { from, to, value: hexOf(value) });
const swap = (own: Partial<SwapFact> = {}): Fact =>
  factOf('swap', 1, { ...ofPool, to: ALICE, ...own });

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
      factOf('mint', 1, ofPool),
    ];
    assert.deepEqual(factsOf(added), ['1 lpAdded 6 5']);
  });

  it('records who removed liquidity and to whose benefit, through a router too', () => {
    const removed = (receiver: Hex) => [
      transfer(POOL, CREATOR, POOL),
      transfer(TOKEN, POOL, ROUTER),
      transfer(WETH, POOL, ROUTER, 5n * COIN),
      factOf('burn', 1, { ...ofPool, to: ROUTER }),
      transfer(TOKEN, ROUTER, receiver),
    ];
    assert.deepEqual(factsOf(removed(CREATOR)), ['1 lpRemoved 6 5']);
    assert.deepEqual(factsOf(removed(BOB)), ['1 lpRemoved 6 5', '1 lpPaid 3 5']);
  });

  const ofV3 = { ...ofPool, protocol: 'uniswap_v3' } as const;
  const inManager = { ...ofPool, protocol: 'uniswap_v4', pool: TX, manager: POOL } as const;

  it('records trades, their worth and their proceeds on markets of other protocols', () => {
    const bought = [transfer(WETH, ROUTER, POOL, 2n * COIN), transfer(TOKEN, POOL, ALICE)];
    const sold = [transfer(TOKEN, ALICE, POOL), transfer(WETH, POOL, BOB)];
    for (const market of [
      { protocol: 'uniswap_v3' },
      { protocol: 'solidly' },
      inManager,
    ] as const) {
      assert.deepEqual(factsOf([...bought, swap(market)]), ['2 bought 6 2']);
      assert.deepEqual(factsOf([...sold, swap(market)]), ['2 sold 6 1', '2 proceeds 3 1']);
    }
    const cost = hexOf(3n * COIN);
    const native = (own: Partial<SwapFact>) => swap({ ...inManager, ...own });
    assert.deepEqual(factsOf([transfer(TOKEN, POOL, ALICE), native({ amount0In: cost })]), [
      '2 bought 6 3',
    ]);
    assert.deepEqual(factsOf([transfer(TOKEN, ALICE, POOL), native({ amount0Out: cost })]), [
      '2 sold 6 3',
    ]);
    const curve = { protocol: 'four_meme', pool: TOKEN, manager: POOL } as const;
    assert.deepEqual(factsOf([transfer(TOKEN, POOL, ALICE), swap({ ...curve, amount1In: cost })]), [
      '2 bought 6 3',
    ]);
    assert.deepEqual(
      factsOf([transfer(TOKEN, ALICE, POOL), swap({ ...curve, amount1Out: cost })]),
      ['2 sold 6 3'],
    );
  });

  it('records who added concentrated liquidity, and who was paid what was taken out', () => {
    const paid = [transfer(TOKEN, CREATOR, POOL), transfer(WETH, ROUTER, POOL, 5n * COIN)];
    const collect = factOf('collect', 1, { ...ofV3, to: ROUTER });
    const { range } = collect;
    assert.deepEqual(factsOf([...paid, factOf('mint', 1, { ...ofV3, range })]), ['1 lpAdded 6 5']);
    assert.deepEqual(factsOf([...paid, factOf('mint', 1, { ...inManager, range })]), [
      '1 lpAdded 6 5',
    ]);

    const left = (to: Hex) => [transfer(TOKEN, POOL, to), transfer(WETH, POOL, to, 5n * COIN)];
    assert.deepEqual(
      factsOf([factOf('burn', 1, { ...ofV3, range })]),
      [],
      'nothing has left the pool yet',
    );
    assert.deepEqual(factsOf([...left(CREATOR), collect]), ['1 lpRemoved 6 5']);
    const unwrapped = [...left(ROUTER), collect, transfer(TOKEN, ROUTER, CREATOR)];
    assert.deepEqual(factsOf(unwrapped), ['1 lpRemoved 6 5']);
    assert.deepEqual(
      factsOf([...left(CREATOR), factOf('burn', 1, { ...inManager, to: ROUTER, range })]),
      ['1 lpRemoved 6 5'],
    );
  });
});
