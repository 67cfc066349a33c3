import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { concatHex, encodeAbiParameters, parseEther, toFunctionSelector } from 'viem';
import type { Hex } from '../../../shared/chain/block.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { compileSources } from '../../../shared/testing/devnet/compileContracts.ts';
import {
  createDevnet,
  type Devnet,
  type TokenKind,
} from '../../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';
import { deployUniswapV3 } from '../../../shared/testing/devnet/uniswapV3.ts';
import { type Service, startAnvil } from '../../../shared/testing/services.ts';
import { headOf, withoutRequests, withoutSimulations } from '../testing/simulations.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { CALL_SEQUENCE_CODE } from './callSequence.ts';
import { CROWD_CODE, NEUTRAL_HOOK_CODE, ROUTER_CODES } from './routerCodes.ts';
import { createSimulatingNode } from './simulatingNode.ts';
import { createSimulations, type TradeRequest } from './simulations.ts';

const english = (reason: Sentence): string => writeSentence(reason, 'en');

const { weth, factory, stable } = DEVNET_ADDRESSES;
const CREATOR = 0;
/** In the order of the enum of TrickToken.sol. */
const TRICKS = [
  'closedMarket',
  'transferFromTrap',
  'transferTrap',
  'limitPerBuy',
  'cooldown',
  'buyTax',
  'loudRevert',
  'customError',
  'gasBurner',
  'silentFalse',
  'nothingDelivered',
  'panic',
  'hugeBalanceAnswer',
  'onlyPlainAccounts',
  'sellsItsTaxes',
] as const;
type Trick = (typeof TRICKS)[number];

const ROUTER_PATH = './SimulatedRouter.sol';
const SOLIDLY_PATH = './SimulatedSolidlyRouter.sol';
const CONCENTRATED_PATH = './SimulatedConcentratedRouter.sol';
const V4_PATH = './SimulatedV4Router.sol';
const NEUTRAL_HOOK_PATH = './NeutralHook.sol';
const CROWD_PATH = './SimulatedCrowd.sol';
const SEQUENCE_PATH = './CallSequence.sol';
const TRICK_PATH = './fixtures/TrickToken.sol';
const POOL_FACTORY_PATH = './fixtures/PoolFactory.sol';

/** A node with one URL, and how many calls were sent at once. */
const createNode = (url: string) => {
  const counts = { callsMax: 0 };
  const batch = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    counts.callsMax = Math.max(counts.callsMax, calls.length);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))),
      signal: AbortSignal.timeout(60_000),
    });
    const answers = (await response.json()) as {
      id: number;
      result?: unknown;
      error?: { code: number; message: string };
    }[];
    return answers
      .toSorted((a, b) => a.id - b.id)
      .map(({ result, error }) => (error ? { ok: false, ...error } : { ok: true, result }));
  };
  const node: ChainNode = { batch };
  return { node, counts };
};

/** Transfers are untaxed, and no larger trade fails. */
const FREE = { transfer: { kind: 'moved', tax: 0 }, limits: [] } as const;

describe('createSimulations', () => {
  let anvil: Service;
  let devnet: Devnet;
  let compiled: Awaited<ReturnType<typeof compileSources>>;

  before(async () => {
    anvil = await startAnvil();
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    compiled = await compileSources(import.meta.url, [
      ROUTER_PATH,
      SOLIDLY_PATH,
      CONCENTRATED_PATH,
      V4_PATH,
      NEUTRAL_HOOK_PATH,
      CROWD_PATH,
      SEQUENCE_PATH,
      TRICK_PATH,
      POOL_FACTORY_PATH,
    ]);
  });

  after(async () => {
    await anvil.stop();
  });

  const requestOf = async (token: Hex): Promise<TradeRequest> => ({
    kind: 'reserves',
    token,
    pool: await devnet.pairOf(token),
    baseToken: weth,
  });

  const deployKind = async (kind: TokenKind, eth = 10): Promise<TradeRequest> => {
    const token = await devnet.deployToken(kind);
    await devnet.addLiquidity(token, eth);
    return requestOf(token.address);
  };

  const deploy = async (creation: Hex, values: Hex) => {
    const data = concatHex([creation, values]);
    const [deployment] = await devnet.transact([{ from: CREATOR, data, gas: 12_000_000n }]);
    assert(deployment?.contractAddress);
    return { deployment, address: deployment.contractAddress.toLowerCase() as Hex };
  };

  const createTrick = (trick: Trick, poolFactory: Hex) => {
    const types = [{ type: 'uint8' }, { type: 'address' }, { type: 'address' }] as const;
    const values = encodeAbiParameters(types, [TRICKS.indexOf(trick), poolFactory, weth]);
    return deploy(compiled(TRICK_PATH, 'TrickToken').creation, values);
  };

  const deployTrick = async (trick: Trick): Promise<TradeRequest> => {
    const { address } = await createTrick(trick, factory);
    await devnet.addLiquidity({ address, creator: CREATOR }, 10);
    return requestOf(address);
  };

  const simulate = async (...requests: TradeRequest[]) => {
    const { node } = createNode(anvil.url);
    const simulator = createSimulations({ node, weth, clock: systemClock });
    return (await simulator.simulate(requests, await headOf(node))).map(withoutRequests);
  };

  const simulateTrick = async (trick: Trick) => (await simulate(await deployTrick(trick)))[0];

  const blockNumber = async (): Promise<number> =>
    Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));

  it('runs the code that its source compiles to', () => {
    assert.deepEqual(ROUTER_CODES, {
      reserves: compiled(ROUTER_PATH, 'SimulatedRouter').runtime,
      solidly: compiled(SOLIDLY_PATH, 'SimulatedSolidlyRouter').runtime,
      concentrated: compiled(CONCENTRATED_PATH, 'SimulatedConcentratedRouter').runtime,
      managed: compiled(V4_PATH, 'SimulatedV4Router').runtime,
    });
    assert.equal(NEUTRAL_HOOK_CODE, compiled(NEUTRAL_HOOK_PATH, 'NeutralHook').runtime);
    assert.equal(CROWD_CODE, compiled(CROWD_PATH, 'SimulatedCrowd').runtime);
    assert.equal(CALL_SEQUENCE_CODE, compiled(SEQUENCE_PATH, 'CallSequence').runtime);
  });

  for (const kind of ['honest', 'hiddenMint', 'ruggable'] as const) {
    it(`trades the ${kind} token both ways without tax`, async () => {
      const simulations = await simulate(await deployKind(kind));
      const block = await blockNumber();
      assert.deepEqual(simulations, [
        { kind: 'traded', blockNumber: block, buyTax: 0, sellTax: 0, sellableAfterS: 12, ...FREE },
      ]);
    });
  }

  it('measures the tax of the tax token within 0.1 %', async () => {
    const [simulation] = await simulate(await deployKind('tax'));
    assert(simulation?.kind === 'traded');
    assert.equal(simulation.buyTax, 0);
    assert(Math.abs(simulation.sellTax - 0.25) < 0.001, String(simulation.sellTax));
  });

  it('measures the same tax in a pool of a thousandth of an ether', async () => {
    const [simulation] = await simulate(await deployKind('tax', 0.001));
    assert(simulation?.kind === 'traded');
    assert(Math.abs(simulation.sellTax - 0.25) < 0.001, String(simulation.sellTax));
  });

  it('finds that a honeypot cannot be sold, with the reason of its contract', async () => {
    const request = await deployKind('honeypot');
    assert.deepEqual(await simulate(request), [
      {
        kind: 'sellFails',
        blockNumber: await blockNumber(),
        reason: sentence('byTransfer', {
          why: sentence('revertsWith', { text: 'TRANSFER_FROM_FAILED' }),
        }),
        limits: [],
      },
    ]);
  });

  it('changes nothing on the chain', async () => {
    const request = await deployKind('honest');
    const [reserves, block] = [await devnet.reserves(request.token), await blockNumber()];
    await simulate(request);
    assert.deepEqual(
      [await devnet.reserves(request.token), await blockNumber()],
      [reserves, block],
    );
  });

  it('stands on one block while the chain and the pool go on', async () => {
    const request = await deployKind('tax');
    const { node } = createNode(anvil.url);
    const busy: ChainNode = {
      batch: async (calls) => {
        const outcomes = await node.batch(calls);
        await devnet.buy(request.token, 1, 1);
        return outcomes;
      },
    };
    const block = await blockNumber();
    const simulator = createSimulations({ node: busy, weth, clock: systemClock });
    const head = await headOf(node);
    assert.deepEqual((await simulator.simulate([request], head)).map(withoutRequests), [
      { kind: 'traded', blockNumber: block, buyTax: 0, sellTax: 0.25, sellableAfterS: 12, ...FREE },
    ]);
  });

  it('stands on the latest block of a node that is behind', async () => {
    const request = await deployKind('honest');
    const { node } = createNode(anvil.url);
    const head = await headOf(node);
    const simulator = createSimulations({ node, weth, clock: systemClock });
    const ahead = { number: head.number + 3, timestampS: head.timestampS + 36 };
    const [simulation] = await simulator.simulate([request], ahead);
    assert(simulation?.kind === 'traded', JSON.stringify(simulation));
    assert.equal(simulation.blockNumber, head.number);
  });

  it('distinguishes a market that is not open from a sale that fails', async () => {
    const simulation = await simulateTrick('closedMarket');
    assert(simulation?.kind === 'buyFails');
    assert.equal(english(simulation.reason), 'it reverts with “trading is not open”');
  });

  it('finds a trap for routers only, and one for plain transfers only', async () => {
    const reasons = [];
    for (const trick of ['transferFromTrap', 'transferTrap'] as const) {
      const simulation = await simulateTrick(trick);
      assert(simulation?.kind === 'sellFails', trick);
      reasons.push(english(simulation.reason));
    }
    assert.deepEqual(reasons, [
      'through a router it reverts with “trapped”',
      'by a transfer to the pool it reverts with “use the app”',
    ]);
  });

  it('buys less where a token limits purchases', async () => {
    const simulation = await simulateTrick('limitPerBuy');
    assert(simulation?.kind === 'traded');
    assert.deepEqual(simulation.limits, [{ kind: 'purchase', share: 0.005 }]);
  });

  it('sells later where a token makes buyers wait', async () => {
    const simulation = await simulateTrick('cooldown');
    assert(simulation?.kind === 'traded');
    assert.equal(simulation.sellableAfterS, 3_600);
  });

  it('measures a tax on purchases', async () => {
    const simulation = await simulateTrick('buyTax');
    assert(simulation?.kind === 'traded');
    assert(Math.abs(simulation.buyTax - 0.1) < 0.001, String(simulation.buyTax));
    assert.equal(simulation.sellTax, 0);
  });

  it('finds no tax where a token swaps its own taxes in the middle of a sale', async () => {
    const simulation = await simulateTrick('sellsItsTaxes');
    assert(simulation?.kind === 'traded', JSON.stringify(simulation));
    assert.equal(simulation.sellTax, 0);
  });

  it('trades as a plain account that starts its transactions itself', async () => {
    assert.equal((await simulateTrick('onlyPlainAccounts'))?.kind, 'traded');
  });

  it('bounds what hostile tokens answer', async () => {
    const outcomes = [];
    for (const trick of [
      'loudRevert',
      'customError',
      'panic',
      'gasBurner',
      'silentFalse',
      'nothingDelivered',
      'hugeBalanceAnswer',
    ] as const) {
      const simulation = await simulateTrick(trick);
      assert(simulation && simulation.kind !== 'traded', trick);
      outcomes.push([trick, simulation.kind, english(simulation.reason)]);
    }
    assert.deepEqual(outcomes, [
      ['loudRevert', 'sellFails', 'by a transfer to the pool it reverts with overlong data'],
      [
        'customError',
        'sellFails',
        `by a transfer to the pool it reverts with the custom error ${toFunctionSelector('SellingForbidden(address)')}`,
      ],
      ['panic', 'sellFails', 'by a transfer to the pool it panics with code 0x1'],
      ['gasBurner', 'sellFails', 'by a transfer to the pool it reverts without a reason'],
      ['silentFalse', 'sellFails', 'by a transfer to the pool it earns nothing'],
      ['nothingDelivered', 'buyFails', 'it delivers no tokens'],
      ['hugeBalanceAnswer', 'buyFails', 'it delivers no tokens'],
    ]);
  });

  describe('on a pool with concentrated liquidity', () => {
    let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
    let poolFactory: Hex;

    before(async () => {
      uniswap = await deployUniswapV3(devnet);
      const values = encodeAbiParameters([{ type: 'address' }], [uniswap.factory]);
      const { creation } = compiled(POOL_FACTORY_PATH, 'PoolFactory');
      poolFactory = (await deploy(creation, values)).address;
    });

    /** Adds 100,000 tokens to a pool with 10 ether, or with none. */
    const pooled = async (token: Hex, withEther = true) => {
      const amounts = { eth: parseEther('10'), tokens: parseEther('100000'), withEther };
      const { pool, position } = await uniswap.launch(CREATOR, token, amounts);
      const address = pool.address.toLowerCase() as Hex;
      const request: TradeRequest = { kind: 'concentrated', token, pool: address, baseToken: weth };
      return { request, position };
    };
    const pooledTrick = async (trick: Trick): Promise<TradeRequest> =>
      (await pooled((await createTrick(trick, poolFactory)).address)).request;

    it('trades an honest token both ways without tax, beside one with reserves', async () => {
      const { address } = await devnet.deployToken('honest');
      const { request } = await pooled(address);
      const [traded, taxed] = await simulate(request, await deployKind('tax'));
      assert.deepEqual(traded, {
        kind: 'traded',
        blockNumber: await blockNumber(),
        buyTax: 0,
        sellTax: 0,
        sellableAfterS: 12,
        ...FREE,
      });
      assert(taxed?.kind === 'traded' && taxed.sellTax > 0.2);
    });

    it('finds what a buyer meets there', async () => {
      const found = [];
      for (const trick of [
        'closedMarket',
        'transferFromTrap',
        'transferTrap',
        'limitPerBuy',
        'cooldown',
        'buyTax',
        'customError',
        'silentFalse',
        'nothingDelivered',
      ] as const) {
        const [one] = await simulate(await pooledTrick(trick));
        assert.ok(one);
        const why =
          one.kind === 'traded'
            ? [one.buyTax, one.sellTax, one.sellableAfterS, ...one.limits.map(({ kind }) => kind)]
            : english(one.reason);
        found.push([trick, one.kind, why]);
      }
      assert.deepEqual(found, [
        ['closedMarket', 'buyFails', 'it reverts with “trading is not open”'],
        ['transferFromTrap', 'sellFails', 'through a router it reverts with “trapped”'],
        ['transferTrap', 'sellFails', 'by a transfer to the pool it reverts with “use the app”'],
        ['limitPerBuy', 'traded', [0, 0, 12, 'purchase']],
        ['cooldown', 'traded', [0, 0, 3_600]],
        ['buyTax', 'traded', [0.1, 0, 12]],
        [
          'customError',
          'sellFails',
          `by a transfer to the pool it reverts with the custom error ${toFunctionSelector('SellingForbidden(address)')}`,
        ],
        [
          'silentFalse',
          'sellFails',
          'by a transfer to the pool it reverts with “the transfer answers false”',
        ],
        ['nothingDelivered', 'buyFails', 'it delivers no tokens'],
      ]);
    });

    it('buys where tokens alone were pooled, and nothing where the liquidity was taken', async () => {
      const { address } = await devnet.deployToken('honest');
      const { request, position } = await pooled(address, false);
      assert.equal(await devnet.balanceOf(weth, request.pool), 0n);
      const [launched] = await simulate(request);
      assert.equal(launched?.kind, 'traded', JSON.stringify(launched));
      await uniswap.removePosition(CREATOR, position);
      const [pulled] = await simulate(request);
      assert.deepEqual(pulled, { kind: 'unknown', reason: sentence('poolTooSmall') });
    });
  });

  it('finds by calls alone what it finds by simulations', async () => {
    const requests: TradeRequest[] = [];
    for (const trick of TRICKS) requests.push(await deployTrick(trick));
    const { node } = createNode(anvil.url);
    const ask = async (one: ChainNode) => {
      const simulator = createSimulations({ node: one, weth, clock: systemClock });
      return (await simulator.simulate(requests, await headOf(node))).map(withoutRequests);
    };
    const [simulated, called] = [
      await ask(node),
      await ask(createSimulatingNode(withoutSimulations(node), systemClock)),
    ];
    for (const [i, trick] of TRICKS.entries()) {
      // There the trader is no ordinary account: a token that checks for that never opens.
      if (trick === 'onlyPlainAccounts') assert.equal(called[i]?.kind, 'buyFails');
      else assert.deepEqual(called[i], simulated[i], trick);
    }
  });

  it('knows nothing where the node has no state overrides either, and says so', async () => {
    const request = await deployKind('honest');
    const { node } = createNode(anvil.url);
    const plain: ChainNode = {
      batch: (calls) =>
        node.batch(calls.map((one) => ({ ...one, params: one.params.slice(0, 2) }))),
    };
    const poor = createSimulatingNode(withoutSimulations(plain), systemClock);
    assert.deepEqual(
      await createSimulations({ node: poor, weth, clock: systemClock }).simulate(
        [request],
        await headOf(node),
      ),
      [
        {
          kind: 'unknown',
          reason: sentence('nodeCannotSimulate'),
        },
      ],
    );
  });

  it('keeps the order of many requests and says which it cannot simulate', async () => {
    const honest = await deployKind('honest');
    const honeypot = await deployKind('honeypot');
    const noPool: TradeRequest = { ...honest, pool: honest.token };
    const otherBase: TradeRequest = { ...honest, baseToken: stable };
    const { node, counts } = createNode(anvil.url);
    const simulator = createSimulations({ node, weth, clock: systemClock });
    const simulations = await simulator.simulate(
      Array.from({ length: 6 }, () => [honest, otherBase, honeypot, noPool]).flat(),
      await headOf(node),
    );
    assert.deepEqual(
      simulations.map(({ kind }) => kind),
      Array.from({ length: 6 }, () => ['traded', 'unknown', 'sellFails', 'buyFails']).flat(),
    );
    assert(counts.callsMax <= 5, `${counts.callsMax} calls in a batch`);
  });
});
