import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeFunctionData, parseAbi } from 'viem';
import { createFakePorts } from '../api/testing/fakePorts.ts';
import { startApp } from '../api/testing/startApp.ts';
import { createTokens } from '../api/tokens/createTokens.ts';
import { ZERO_HASH } from '../shared/chain/block.ts';
import { checkSchema } from '../shared/messages/verdictDoc.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { adviceOf, reasonsOf } from '../shared/rules/advice.ts';
import type { Devnet, DevnetToken } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { createContractReader } from './scorer/contract/contractReader.ts';
import { createTradeSimulator } from './scorer/simulation/simulateTrade.ts';
import { createSimulatingNode } from './scorer/simulation/simulatingNode.ts';
import { headOf, withoutSimulations } from './scorer/testing/simulations.ts';
import type { ChainNode } from './scorer/token/tokenReader.ts';
import { CHAIN_ID, failedIds, startDevnetScorer } from './testing/devnetScorer.ts';
import { CASES, type ZooCase } from './testing/zooCases.ts';
import { replayEvidence } from './testing/zooEvidence.ts';

const BUYER = 20;
const POOL_ETHER = 10;
const { weth } = DEVNET_ADDRESSES;

describe('the zoo', () => {
  let stack: Awaited<ReturnType<typeof startDevnetScorer>>;
  let devnet: Devnet;
  const tokens = new Map<string, DevnetToken>();

  before(async () => {
    stack = await startDevnetScorer({ zoo: true });
    ({ devnet } = stack);
    await launchAll();
  });
  after(() => stack?.stop());

  const launch = async (one: ZooCase, index: number): Promise<void> => {
    const text = { name: one.name ?? `Zoo ${one.id}`, symbol: one.symbol ?? 'ZOO' };
    // Creators differ, so that no token is scored by the rings of another.
    const creator = 100 + index;
    await devnet.setBalance(devnet.address(creator), 10n ** 21n);
    const token = await devnet.deployToken(one.kind, { creator, ...text });
    tokens.set(one.id, token);
    const act = async (call: string, args: readonly unknown[]): Promise<void> => {
      const abi = parseAbi([`function ${call}`] as readonly string[]);
      const data = encodeFunctionData({ abi, args } as Parameters<typeof encodeFunctionData>[0]);
      await devnet.transact([{ from: creator, to: token.address, data }]);
    };
    for (const step of one.steps ?? DEFAULT_STEPS) {
      if (step.kind === 'pool') await devnet.addLiquidity(token, POOL_ETHER);
      else if (step.kind === 'lock') await devnet.burnLiquidity(token);
      else if (step.kind === 'call') await act(step.call, step.args);
      else if (step.kind === 'buy') await devnet.buy(token.address, BUYER, 0.2);
      else if (step.kind === 'pull') await devnet.removeLiquidity(token, step.share);
    }
  };

  const launchAll = async (): Promise<void> => {
    await devnet.setBalance(devnet.address(BUYER), 10n ** 22n);
    for (const [index, one] of CASES.entries()) await launch(one, index);
    await stack.takeIn();
    // One round for copies to be known by what the first round found.
    for (const one of CASES) await stack.analyzer.analyze(tokenOf(one).address);
  };

  const tokenOf = ({ id }: ZooCase): DevnetToken => {
    const token = tokens.get(id);
    assert(token, id);
    return token;
  };

  for (const one of CASES) {
    it(`${one.id}: ${one.prediction}, ${one.fails.join(', ') || 'nothing fails'}`, async (test) => {
      const { prediction, doc } = await stack.verdict(tokenOf(one).address);
      const failed = failedIds(doc);
      const confidence = Math.max(doc.probability, 1 - doc.probability);
      const { advice } = adviceOf({ prediction, confidence });
      const why = reasonsOf(doc, advice).map(({ id }) => id);
      test.diagnostic(
        `${one.id} ${prediction} ${doc.probability.toFixed(3)} fails: ${failed.join(', ')}`,
      );
      const reasons = doc.checks
        .filter(({ status }) => status === 'fail')
        .map(({ id, reason }) => `${id}: ${reason}`);
      const shown = [...reasons, JSON.stringify(doc.shap_values)].join('\n');
      assert.deepEqual(failed.toSorted(), [...one.fails].toSorted(), shown);
      assert.equal(prediction, one.prediction, shown);
      assert.equal(advice, one.advice ?? (prediction === 'SCAM' ? 'avoid' : 'wait'), shown);
      // An answer rests on what is wrong with the token; with nothing wrong, on what could be tried, or on its market.
      const untried = doc.checks.filter(
        ({ id, status }) => id === 'sell_simulation' && status === 'unknown' && advice === 'wait',
      );
      const against = [...one.fails, ...untried.map(({ id }) => id)];
      const waiting = against.length > 0 ? against : ['market_pattern'];
      const grounds = advice === 'no_finding' ? PASSED_GROUNDS : waiting;
      assert.deepEqual(
        why.filter((id) => !grounds.includes(id)),
        [],
      );
      assert.equal(why.length, Math.min(REASONS_MAX, grounds.length), why.join());
      for (const [id, value] of Object.entries(one.values ?? {})) {
        assert.equal(doc.checks.find((check) => check.id === id)?.value, value, shown);
      }
    });
  }

  /** What a node shows of a token: the trade, and what privileged addresses could do to buyers. */
  const findings = async (one: ZooCase, node: ChainNode) => {
    const token = tokenOf(one);
    const address = await devnet.pairOf(token.address);
    let drawn = 0;
    const drawAddress = () => {
      drawn += 1;
      return `0x${'c'.repeat(38)}${drawn.toString(16).padStart(2, '0')}` as const;
    };
    const [simulation] = await createTradeSimulator({
      node,
      weth,
      clock: systemClock,
      drawAddress,
    }).simulate(
      [{ kind: 'reserves', token: token.address, pool: address, baseToken: weth }],
      await headOf(node),
    );
    const profile = await createContractReader({ node, weth, drawAddress }).read({
      token: token.address,
      creator: devnet.address(token.creator),
      codeHash: ZERO_HASH,
      pool: { kind: 'reserves', pool: address, baseToken: weth },
    });
    const probe = profile?.probe;
    assert(probe?.kind === 'done', one.id);
    // Gas differs by what a call from within another call costs.
    return { simulation, probe: { ...probe, trade: { ...probe.trade, saleGas: 0 } } };
  };

  it('shows evidence of every failed check that anyone can replay from the API’s answer', async () => {
    const tokens = createTokens(stack.clickhouse, CHAIN_ID);
    const { ports, keys } = createFakePorts({ tokens });
    const app = await startApp(ports);
    const { key } = keys.add('pro');
    const send = async (request: { method: string; params: unknown[] }): Promise<unknown> => {
      const [outcome] = await stack.node.batch([request]);
      assert(outcome?.ok, `${request.method} ${JSON.stringify(outcome)}`);
      return outcome.result;
    };
    let replayed = 0;
    try {
      for (const one of CASES) {
        const { body } = await app.call(`/tokens/${tokenOf(one).address}`, { key });
        const checks = checkSchema.array().parse(body.data.checks);
        for (const check of checks.filter(({ status }) => status === 'fail')) {
          await replayEvidence(check, send).catch((error) => {
            throw new Error(`${one.id}: ${error.message}`, { cause: error });
          });
          replayed += 1;
        }
      }
    } finally {
      await app.close();
    }
    assert(replayed >= CASES.length, `${replayed} failed checks`);
  });

  it('finds by calls alone, token by token, what it finds by eth_simulateV1', async () => {
    const { node } = stack;
    const caller = createSimulatingNode(withoutSimulations(node), systemClock);
    for (const one of CASES) {
      assert.deepEqual(await findings(one, caller), await findings(one, node), one.id);
    }
  });

  it('judges a closed token again once it is open', async () => {
    const one = CASES.find(({ id }) => id === 'beforeLaunch');
    assert(one);
    const { address, creator } = tokenOf(one);
    const closed = async () => {
      const { doc } = await stack.verdict(address);
      return { doc, check: doc.checks.find(({ id }) => id === 'trading_closed') };
    };
    const before = await closed();
    assert.match(
      before.check?.reason ?? '',
      /reverts with “closed”\. The owner can open it: openTrading\(\)/,
    );
    const data = encodeFunctionData({ abi: parseAbi(['function openTrading()']) });
    await devnet.transact([{ from: creator, to: address, data }]);
    await devnet.buy(address, BUYER, 0.2);
    await stack.takeIn();
    await stack.analyzer.analyze(address);
    const after = await closed();
    assert.equal(after.check?.status, 'pass');
    assert(after.doc.probability < before.doc.probability);
  });

  it('adds up, and shows evidence for every scam', async () => {
    for (const one of CASES) {
      const { prediction, doc } = await stack.verdict(tokenOf(one).address);
      const sum = Object.values(doc.shap_values).reduce(
        (total, value) => total + value,
        doc.base_value,
      );
      assert(Math.abs(sum - doc.margin) <= 1e-6, one.id);
      assert(Math.abs(1 / (1 + Math.exp(-doc.margin)) - doc.probability) <= 1e-9, one.id);
      if (prediction === 'LEGIT') continue;
      const proofs = doc.checks.filter(
        ({ status, evidence }) => status === 'fail' && (evidence?.length ?? 0) > 0,
      );
      assert(proofs.length > 0, one.id);
    }
  });
});

/** Reasons given with an advice, and those of a token that could be sold. */
const REASONS_MAX = 3;
const PASSED_GROUNDS = ['sell_simulation', 'trading_closed'];

const DEFAULT_STEPS: NonNullable<ZooCase['steps']> = [
  { kind: 'pool' },
  { kind: 'lock' },
  { kind: 'buy' },
];
