import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { HolderTrades } from '../features/holderSalesStore.ts';
import { candidatesOf, tryHolders } from './holderTrials.ts';

const TOKEN = `0x${'a'.repeat(40)}` as const;
const POOL = `0x${'b'.repeat(40)}` as const;
const ROUTER = `0x${'d'.repeat(40)}` as const;
const WETH = `0x${'e'.repeat(40)}` as const;
const TX = `0x${'c'.repeat(64)}` as const;
const HEAD = { number: 100, timestampS: 1_000 };
const ETHER = 10n ** 18n;
const BASE_FEE = 10n ** 9n;
/** Every wallet's holdings, raw tokens; half of it is sold. */
const HELD = 1_000n;
const BALANCE_OF = '0x70a08231';
const APPROVE = '0x095ea7b3';
const FACTORY = '0xc45a0155';

const wallet = (i: number): Hex => `0x${(i + 1).toString(16).padStart(40, '0')}`;
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const heldBy = (
  count: number,
  dependents: readonly Hex[] = [],
  routers: HolderTrades['routers'] = new Map(),
): HolderTrades => ({
  trades: Array.from({ length: count }, (_one, i) => ({
    blockNumber: i,
    timestampS: 12 * i,
    trader: wallet(i),
    isSale: false,
    txHash: TX,
    amount: 1_000n,
  })),
  failed: [],
  dependents: new Map(dependents.map((one) => [one, one])),
  routers,
});

/** Of sixteen wallets that bought, the last six sold, in block 50 and later. */
const SOME_SOLD: HolderTrades = {
  ...heldBy(16),
  trades: [
    ...heldBy(16).trades,
    ...heldBy(16)
      .trades.slice(10)
      .map((trade, i) => ({
        ...trade,
        amount: HELD / 2n,
        blockNumber: 50 + i,
        isSale: true,
        txHash: word(BigInt(trade.trader)),
      })),
  ],
};

interface Sent {
  readonly from: Hex;
  readonly to: Hex;
  readonly input: Hex;
  readonly gasPrice?: Hex;
}
interface Block {
  readonly blockOverrides: { readonly number: Hex; readonly baseFeePerGas?: Hex };
  readonly calls: readonly Sent[];
}

interface World {
  readonly poor?: readonly Hex[];
  readonly taken?: (sale: Sent) => bigint;
  /** Results of pools and routers. */
  readonly factoryOf?: (contract: Hex) => Hex;
  readonly block?: unknown;
  /** The transaction of a sale by a wallet. */
  readonly saleOf?: (seller: Hex) => unknown;
}

/** A node whose token lets the wallets in `sells` sell, and where everybody except the poor owns an ether. */
const nodeWith = (
  sells: (sale: Sent, block: Block) => boolean,
  {
    poor = [],
    taken = () => 0n,
    factoryOf = () => WETH,
    block = { baseFeePerGas: `0x${BASE_FEE.toString(16)}` },
    saleOf = (from) => ({ from }),
  }: World = {},
) => {
  const asked: RpcCall[][] = [];
  let round = 0;
  const answer = ({ method, params }: RpcCall): RpcOutcome => {
    if (method === 'eth_getBlockByNumber') {
      return { ok: true, result: block };
    }
    if (method === 'eth_getTransactionByHash') {
      return { ok: true, result: saleOf(`0x${String(params[0]).slice(-40)}`) };
    }
    const [{ blockStateCalls }] = params as [{ blockStateCalls: Block[] }];
    let inPool = 5_000n;
    const answerIn = (simulated: Block) => (sale: Sent) => {
      if (sale.input === FACTORY)
        return { status: '0x1', returnData: word(BigInt(factoryOf(sale.to))) };
      if (sale.input.startsWith(APPROVE)) return { status: '0x1', returnData: word(1n) };
      const isPurse = sale.input.length === word(0n).length;
      if (isPurse) {
        const isPoor = poor.some((one) => BigInt(one) === BigInt(sale.input));
        return { status: '0x1', returnData: word(isPoor ? 0n : ETHER) };
      }
      if (round === 1) return { status: '0x1', returnData: word(HELD) };
      if (sale.input.startsWith(BALANCE_OF)) return { status: '0x1', returnData: word(inPool) };
      if (!sells(sale, simulated)) return { status: '0x0', returnData: '0x' };
      inPool += HELD / 2n - taken(sale);
      return { status: '0x1', returnData: word(1n) };
    };
    const blocks = blockStateCalls.map((one) => ({ calls: one.calls.map(answerIn(one)) }));
    // As Geth answers: the blocks in between come first, and are empty.
    return { ok: true, result: [{ calls: [] }, ...blocks] };
  };
  const batch = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    round += 1;
    asked.push([...calls]);
    return calls.map(answer);
  };
  return { node: { batch }, asked };
};

const tryAll = async (
  sells: (sale: Sent, block: Block) => boolean,
  { holders = heldBy(10), ...world }: World & { readonly holders?: HolderTrades } = {},
) => {
  const { node, asked } = nodeWith(sells, world);
  const [trials] = await tryHolders(
    node,
    [{ token: TOKEN, kind: 'reserves', pool: POOL, baseToken: WETH, holders }],
    HEAD,
  );
  return { trials, asked };
};

describe('trials as holders', () => {
  it('tells how many bought where each did in a block of its own, unlike robots', async () => {
    const holders = heldBy(3);
    const trades = holders.trades.map((trade) => ({ ...trade, blockNumber: 7 }));
    const { trials } = await tryAll(() => true, { holders: { ...holders, trades } });
    assert.deepEqual([trials?.tried, trials?.bought], [3, undefined]);
  });

  it('asks the node twice, changes nothing but the code of a spender, and pays for gas', async () => {
    const { trials, asked } = await tryAll(() => true);
    assert.deepEqual([trials?.tried, trials?.sold.length, trials?.refused], [10, 10, []]);
    assert.equal(trials?.bought, 10);
    assert.equal(asked.length, 2);
    assert.equal(JSON.stringify(asked[1]).split('stateOverrides').length, 2);
    assert(trials);
    const [{ blockStateCalls }] = trials.shownBy.paid as unknown as [{ blockStateCalls: [Block] }];
    const [{ blockOverrides, calls }, ...sales] = blockStateCalls as [Block, ...Block[]];
    const approves = ({ input }: Sent) => input.startsWith(APPROVE);
    assert.equal(calls.filter(approves).length, 20);
    assert(!sales.some((one) => one.calls.some(approves)), 'approvals are of an earlier block');
    assert.equal(BigInt(blockOverrides.baseFeePerGas ?? '0x0'), BASE_FEE);
    assert(calls.every(({ gasPrice = '0x0' }) => BigInt(gasPrice) > BASE_FEE));
  });

  it('tries sales with the least base fee where the node answers no block, or nonsense in it', async () => {
    for (const block of [null, 'nonsense', [], { baseFeePerGas: 7, miner: 'x', mixHash: {} }]) {
      const { trials } = await tryAll(() => true, { block });
      assert.equal(trials?.sold.length, 10, JSON.stringify(block));
    }
  });

  it('measures what does not arrive of each sale', async () => {
    const { trials } = await tryAll(() => true, {
      holders: heldBy(4),
      taken: ({ from }) => (from === wallet(0) ? 50n : 0n),
    });
    assert.deepEqual(trials?.tax, { lowest: 0, mean: 0.025, highest: 0.1 });
    const { trials: none } = await tryAll(() => false);
    assert.equal(none?.tax, undefined);
  });

  it('takes a sale for none that the pool receives little of', async () => {
    const { trials } = await tryAll(() => true, {
      taken: ({ from }) => (from === wallet(0) ? (HELD / 2n) * 10n : HELD / 20n),
    });
    assert.deepEqual(trials?.sold.length, 9);
    assert.deepEqual(trials?.reason, { code: 'keeps', values: { share: 1 } });
  });

  describe('sells through the router of most trades', () => {
    const holders = heldBy(10, [], new Map([[POOL, ROUTER]]));

    it('if it is one of the factory that made the pool', async () => {
      const byRouter = ({ to }: Sent): boolean => to === ROUTER;
      const { trials } = await tryAll(byRouter, { holders });
      assert.equal(trials?.sold.length, 10);
      const factoryOf = (contract: Hex): Hex => (contract === ROUTER ? TOKEN : WETH);
      const { trials: others } = await tryAll(byRouter, { holders, factoryOf });
      assert.equal(others?.refused.length, 10);
    });

    it('and calls no sale possible that works otherwise only', async () => {
      const { trials, asked } = await tryAll(({ to }) => to === TOKEN, { holders });
      assert.deepEqual([trials?.refused.length, trials?.soldForFree], [10, []]);
      assert.equal(trials?.reason?.code, 'byRouter');
      assert.equal(asked.length, 3);
    });
  });

  it('calls no sale possible that works only without permission for others, where no router is known', async () => {
    const { trials } = await tryAll(({ to }) => to === TOKEN);
    assert.deepEqual([trials?.refused.length, trials?.reason?.code], [10, 'byRouter']);
  });

  describe('repeats sales that were made where holders are refused', () => {
    const isAccomplice = ({ from }: Sent): boolean => BigInt(from) > 10n;

    it('on the state before each: those of the latest that the seller sent', async () => {
      const { trials, asked } = await tryAll(isAccomplice, { holders: SOME_SOLD });
      assert.equal(trials?.refused.length, 10);
      const { sales, sent, worked, shownBy } = trials?.repeated ?? {};
      assert.deepEqual([sales, sent, worked], [6, 6, 3]);
      assert.equal(shownBy?.[1], '0x36');
      const repeated = asked.at(-1)?.map(({ params }) => params[1]);
      assert.deepEqual(repeated, ['0x36', '0x35', '0x34']);
    });

    it('and believes none that somebody else sent', async () => {
      const saleOf = () => ({ from: wallet(99) });
      const { trials } = await tryAll(isAccomplice, { holders: SOME_SOLD, saleOf });
      const { sales, sent, worked } = trials?.repeated ?? {};
      assert.deepEqual([sales, sent, worked], [6, 0, 0]);
    });

    it('and says nothing where the node does not know a transaction', async () => {
      const saleOf = (seller: Hex) => (seller === wallet(12) ? null : { from: seller });
      const { trials } = await tryAll(isAccomplice, { holders: SOME_SOLD, saleOf });
      assert.deepEqual([trials?.refused.length, trials?.repeated], [10, undefined]);
    });
  });

  it('tells sales that work for free only', async () => {
    const { trials } = await tryAll(({ gasPrice }) => gasPrice === undefined);
    assert.deepEqual([trials?.refused.length, trials?.soldForFree.length], [10, 10]);
  });

  it('calls a sale possible that works later: a waiting time is no trap', async () => {
    const { trials } = await tryAll(({ gasPrice }, { blockOverrides }) => {
      return gasPrice !== undefined && Number(blockOverrides.number) > 150;
    });
    assert.deepEqual([trials?.sold.length, trials?.refused], [10, []]);
  });

  it('calls sales possible of which the token lets one through in five blocks', async () => {
    let soldAt = 0;
    const { trials } = await tryAll((_sale, { blockOverrides }) => {
      const block = Number(blockOverrides.number);
      const isMade = block < soldAt || block >= soldAt + 5;
      if (isMade) soldAt = block;
      return isMade;
    });
    assert.deepEqual([trials?.sold.length, trials?.refused], [10, []]);
  });

  it('leaves out who cannot pay for a transaction, and who belongs to the creator', async () => {
    const holders = heldBy(10, [wallet(0)]);
    const { trials } = await tryAll(() => true, { holders, poor: [wallet(1), wallet(2)] });
    assert.equal(trials?.tried, 7);
    assert(!trials?.sold.includes(wallet(0)));
  });

  it('asks those who depend on others where hardly anybody else bought, and believes only refusals of them', async () => {
    const holders = heldBy(7, [wallet(0)]);
    const dependents = new Map(holders.trades.slice(1).map(({ trader }) => [trader, wallet(0)]));
    const own = { ...holders, dependents: new Map([...dependents, ...holders.dependents]) };
    const { trials: free } = await tryAll(() => true, { holders: own });
    assert.deepEqual([free?.tried, free?.sold.length, free?.refused], [0, 6, []]);
    const { trials } = await tryAll(() => false, { holders: own });
    assert.deepEqual(trials?.refused, [1, 2, 3, 4, 5, 6].map(wallet));
    const inOneBlock = own.trades.map((trade) => ({ ...trade, blockNumber: 1 }));
    assert.deepEqual(candidatesOf({ ...own, trades: inOneBlock }), [wallet(6)]);
  });

  it('is bounded, whoever bought: the first and the last of them', async () => {
    const candidates = candidatesOf(heldBy(1_000));
    assert.equal(new Set(candidates).size, 24);
    assert.deepEqual(candidates.slice(0, 6), [0, 69, 999, 1, 192, 998].map(wallet));
    const few = candidatesOf(heldBy(25));
    assert.deepEqual([new Set(few).size, few.length], [24, 24]);
    const { trials } = await tryAll(() => true, { holders: heldBy(1_000) });
    assert.equal(trials?.tried, 20);
  });

  it('says nothing where nobody holds, or the node fails', async () => {
    assert.equal((await tryAll(() => true, { holders: heldBy(0) })).trials, undefined);
    const node = { batch: () => Promise.reject(new RetryableError('HTTP 502')) };
    const held = [
      { token: TOKEN, kind: 'reserves' as const, pool: POOL, baseToken: WETH, holders: heldBy(9) },
    ];
    assert.deepEqual(await tryHolders(node, held, HEAD), [undefined]);
  });
});
