import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { encodeCall } from './evmCode.ts';
import { findTaken, keepersOf } from './takenTokens.ts';

const hexOf = (i: number, digits: number): Hex => `0x${i.toString(16).padStart(digits, '0')}`;
const wallet = (i: number): Hex => hexOf(i + 1, 40);
const bought = (i: number): Hex => hexOf(i + 1, 64);
const THIEF = wallet(500);
const ROUTER = wallet(600);
/** For a log whose recipient is no topic. */
const NOT_INDEXED = '0x';
const HEAD = { number: 20_000, timestampS: 1_000 };
const WALLETS = Array.from({ length: 12 }, (_one, i) => wallet(i));

/** What a wallet logged, and in whose transaction. */
type Act = { by: Hex; to?: Hex; event?: Hex; sender: Hex };

const WORLD = {
  acts: [] as readonly Act[],
  /** Wallets with nothing left, and how much that is. */
  gone: 6,
  left: 0n,
  /** Who sends the purchase of a wallet, and when. */
  buyer: (wallet: Hex) => wallet,
  blockNumber: 19_000,
  logs: undefined as RpcOutcome | undefined,
};

/** Twelve wallets bought a million each, and some of them have little left. */
const find = async (world: Partial<typeof WORLD> = {}) => {
  const { acts, gone, left, buyer, blockNumber, logs } = { ...WORLD, ...world };
  let asked = 0;
  const txOf = (i: number): Hex => hexOf(1_000 + i, 64);
  const answer = ({ method, params: [about] }: RpcCall): RpcOutcome => {
    asked += 1;
    if (method === 'eth_getTransactionByHash') {
      const at = Number(about);
      const from = at > 999 ? acts[at - 1_000]?.sender : buyer(wallet(at - 1));
      return { ok: true, result: { from } };
    }
    const result = acts.map(({ by, to = THIEF, event = TOPIC.transfer }, i) => ({
      topics: [event, encodeCall('0x', by), ...(to === NOT_INDEXED ? [] : [encodeCall('0x', to)])],
      transactionHash: txOf(i),
    }));
    return logs ?? { ok: true, result };
  };
  const trades = WALLETS.map((trader, i) => {
    const trade = { blockNumber, timestampS: 1, trader, isSale: false, txHash: bought(i) };
    return { ...trade, amount: 1_000_000n };
  });
  const holders = {
    trades,
    failed: [],
    dependents: new Map(),
    routers: new Map([[THIEF, ROUTER]]),
  };
  const taken = await findTaken(
    { batch: async (calls) => calls.map(answer) },
    { token: THIEF, holders },
    HEAD,
    new Map(WALLETS.map((one, i) => [one, i < gone ? left : 1_000_000n])),
  );
  return { robbed: taken?.robbed, of: taken?.of, asked };
};
const actsOf = (more: Partial<Act> = {}): Act[] =>
  WALLETS.slice(0, 6).map((by) => ({ by, sender: THIEF, ...more }));

describe('tokens taken from buyers', () => {
  it('are looked for among those who never sold and depend on nobody', () => {
    const trade = (i: number, isSale = false) => {
      return {
        blockNumber: i,
        timestampS: 1,
        trader: wallet(i),
        isSale,
        txHash: bought(i),
        amount: 1n,
      };
    };
    const of = (count: number, dependents: readonly Hex[] = []) =>
      keepersOf({
        trades: [...Array.from({ length: count }, (_one, i) => trade(i)), trade(0, true)],
        failed: [],
        dependents: new Map(dependents.map((one) => [one, THIEF])),
        routers: new Map(),
      });
    assert.deepEqual(of(4), [wallet(1), wallet(2), wallet(3)]);
    assert.deepEqual(of(4, [wallet(2)]), [wallet(1), wallet(3)]);
    // If all are dependent, any holder is examined.
    assert.deepEqual(of(3, [wallet(0), wallet(1), wallet(2)]), [wallet(1), wallet(2)]);
    const some = of(97);
    assert.deepEqual([some.length, new Set(some).size], [24, 24]);
    assert.deepEqual([some[0], some.at(-1)], [wallet(3), wallet(95)]);
  });

  it('are gone without a log, or moved in transactions of others', async () => {
    const silent = await find();
    assert.deepEqual([silent.robbed?.length, silent.of], [6, 12]);
    assert.deepEqual(silent.robbed?.[0], { bought: bought(0), takenBy: undefined });
    const moved = await find({ acts: actsOf() });
    assert.deepEqual(moved.robbed?.[0], { bought: bought(0), takenBy: hexOf(1_000, 64) });
  });

  it('are gone in whatever form a token logs it', async () => {
    assert.equal((await find({ acts: actsOf({ to: NOT_INDEXED }) })).robbed?.length, 6);
  });

  it('are not asked for where a token logs without end', async () => {
    const acts = Array.from({ length: 5 }, () => actsOf()).flat();
    assert.deepEqual(await find({ acts }), { robbed: undefined, of: undefined, asked: 1 });
  });

  it('are not looked for where few have nothing left', async () => {
    assert.equal((await find({ gone: 2 })).asked, 0);
    assert.equal((await find({ left: 1_000n })).asked, 0);
    assert.equal((await find({ blockNumber: 9_999 })).asked, 0);
  });

  it('are none that a buyer sent away, or permitted somebody to take', async () => {
    const own = WALLETS.slice(0, 6).map((by) => ({ by, sender: by }));
    assert.equal((await find({ acts: own })).robbed, undefined);
    const permits = own.map((one) => ({ ...one, event: TOPIC.approval }));
    assert.equal((await find({ acts: [...permits, ...actsOf()] })).robbed, undefined);
    const usual = permits.map((one) => ({ ...one, to: ROUTER }));
    assert.equal((await find({ acts: [...usual, ...actsOf()] })).robbed?.length, 6);
    // Approved by somebody else: a forged signature.
    assert.equal((await find({ acts: actsOf({ event: TOPIC.approval }) })).robbed?.length, 6);
  });

  it('are none of wallets that others act for, or whose transactions a node does not know', async () => {
    assert.equal((await find({ buyer: () => THIEF })).robbed, undefined);
    assert.equal((await find({ acts: actsOf({ sender: '0x' }) })).robbed, undefined);
    const logs = { ok: false, code: -32_005, message: 'too many' } as const;
    assert.equal((await find({ logs })).robbed, undefined);
  });
});
