import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem';
import { z } from 'zod';
import { createFakePorts } from '../api/testing/fakePorts.ts';
import { startApp } from '../api/testing/startApp.ts';
import { createTokens } from '../api/tokens/createTokens.ts';
import { type Hex, ZERO_HASH } from '../shared/chain/block.ts';
import { type Check, checkSchema, type VerdictDoc } from '../shared/messages/verdictDoc.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { type Advice, adviceOf, reasonsOf } from '../shared/rules/advice.ts';
import type { Devnet, DevnetToken, TokenKind } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { readZoo } from '../shared/testing/devnet/readZoo.ts';
import { codeSketch, disassemble } from './scorer/contract/codePatterns.ts';
import { createContractReader } from './scorer/contract/contractReader.ts';
import type { SimulatedBlocks } from './scorer/simulation/callSequence.ts';
import { decodeWords } from './scorer/simulation/evmCode.ts';
import { createSimulatingNode } from './scorer/simulation/simulatingNode.ts';
import { createSimulations } from './scorer/simulation/simulations.ts';
import { headOf, withoutSimulations } from './scorer/testing/simulations.ts';
import { decodeText } from './scorer/token/decodeAnswer.ts';
import type { ChainNode } from './scorer/token/tokenReader.ts';
import {
  CHAIN_ID,
  checkOf,
  failedIds,
  scoreDue,
  startDevnetScorer,
} from './testing/devnetScorer.ts';

/** Actions of a creator or a buyer with a token of the zoo, in order. */
type Step =
  /** The pool gets this share of the tokens, one half by default. */
  | { readonly kind: 'pool'; readonly part?: number }
  | { readonly kind: 'lock' }
  | { readonly kind: 'buy' }
  /** Twelve wallets buy, three per block. */
  | { readonly kind: 'crowd' }
  /** Three wallets buy, each in a block. */
  | { readonly kind: 'few' }
  /** Six of the twelve sell half, two per block. */
  | { readonly kind: 'sales' }
  /** Six wallets buy and sell, which the creator paid through another. */
  | { readonly kind: 'ring' }
  /** The creator sends a tiny amount to each of the twelve. */
  | { readonly kind: 'gifts' }
  | { readonly kind: 'pull'; readonly share: number }
  /** The creator sells everything it has. */
  | { readonly kind: 'dump' }
  | { readonly kind: 'call'; readonly call: string; readonly args: readonly unknown[] };

/** A token of the zoo with the expected result. */
interface ZooCase {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name?: string;
  readonly symbol?: string;
  readonly steps?: readonly Step[];
  readonly prediction: 'SCAM' | 'LEGIT';
  /** Set if it differs from `adviceFor`. */
  readonly advice?: Advice;
  /** Checks that fail with more than information, in any order. */
  readonly fails: readonly string[];
  /** The same if the randomly chosen wallet is one that may sell. */
  readonly orFails?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
  /**
   * Whether single calls, which pay no gas and stay in one block, give a different result than simulated blocks.
   */
  readonly needsBlocks?: boolean;
}

const pool = { kind: 'pool' } as const;
const lock = { kind: 'lock' } as const;
const buy = { kind: 'buy' } as const;
const crowd = { kind: 'crowd' } as const;
const few = { kind: 'few' } as const;
const sales = { kind: 'sales' } as const;
const ring = { kind: 'ring' } as const;
const gifts = { kind: 'gifts' } as const;
const CROWDED: readonly Step[] = [pool, lock, crowd];
const pull = (share: number) => ({ kind: 'pull', share }) as const;
const call = (name: string, ...args: readonly unknown[]) =>
  ({ kind: 'call', call: name, args }) as const;

const caseOf =
  (prediction: ZooCase['prediction']) =>
  (kind: TokenKind, fails: readonly string[], more: Partial<ZooCase> = {}): ZooCase => ({
    id: kind,
    kind,
    prediction,
    fails,
    ...more,
  });
const legit = caseOf('LEGIT');
const scam = caseOf('SCAM');

/** Expected result of a contract of `contracts/zoo` in addition to its NatSpec. */
const MORE: Readonly<Record<string, Partial<ZooCase>>> = {
  Eip1967Token: { values: { proxy: 'eip1967' } },
  ZeppelinToken: { values: { proxy: 'zeppelin' } },
  BeaconToken: { values: { proxy: 'beacon' } },
  MinimalProxyToken: { values: { proxy: 'eip1167' } },
  UupsToken: { values: { proxy: 'eip1967' } },
  VestingToken: { advice: 'no_finding' },
  // Nobody sells, and no simulation tells why.
  WalletLimitToken: { advice: 'wait' },
  // Buyers can leave through the pool: a warning, no more.
  TransferTaxToken: { values: { transfer_tax: 0.5 } },
  // The fee, or the balance, falls every second, and single calls stay in one second.
  FallingFeeToken: { needsBlocks: true },
  MeltingToken: { needsBlocks: true },
  NextBlockToken: { needsBlocks: true },
  // Single calls see the base fee of a block, simulated blocks have none; and they are made by a contract.
  BaseFeeTrapToken: { needsBlocks: true },
  ContractSellerToken: { needsBlocks: true },
  // What happens in between is days, and code that a block deploys.
  FallenPriceToken: { needsBlocks: true },
  TwoCallsToken: { needsBlocks: true },
  BusyMarketToken: { needsBlocks: true },
  // Single calls return no logs, which would show a payment.
  VaultShareToken: { needsBlocks: true },
  UnbornGuardToken: { needsBlocks: true },
  DelaylessMintToken: { advice: 'wait' },
  FarmedToken: { advice: 'wait' },
  HashRefusalToken: { orFails: ['holder_trials', 'simulation_detected'], needsBlocks: true },
};

/**
 * Contracts of other folders, and those of the zoo that are also launched under another name or with other steps.
 */
const OTHERS: readonly ZooCase[] = [
  legit('honest', []),
  scam('honeypot', ['sell_simulation', 'freeze_power']),
  scam('tax', ['trade_tax', 'fee_power']),
  scam('hiddenMint', ['mint_power']),
  scam('ruggable', ['liquidity_drained'], { id: 'pullFast', steps: [pool, buy, pull(1)] }),
  scam('ruggable', ['liquidity_drained'], {
    id: 'pullSlow',
    steps: [pool, buy, ...Array.from({ length: 6 }, () => pull(0.45))],
  }),
  scam('LibraryToken', ['insider_sales'], {
    id: 'creatorSoldOut',
    steps: [{ kind: 'pool', part: 0.2 }, lock, crowd, { kind: 'dump' }],
  }),
  scam('LibraryToken', ['liquidity_drained'], {
    id: 'mostPulled',
    steps: [pool, crowd, pull(0.6)],
  }),
  legit('LibraryToken', [], { id: 'bridged', name: 'Tether USD', symbol: 'USDT' }),
  scam('LibraryToken', ['look_alike'], {
    id: 'disguise',
    name: 'Tether USD',
    symbol: 'USD\u0422',
  }),
  scam('LibraryToken', ['name_spam'], {
    id: 'invitation',
    name: '! 5eth.vip',
    symbol: 'Visit https://5eth.vip to claim Airdrop',
    steps: [],
  }),
  legit('OpenedToken', ['trading_closed'], {
    id: 'beforeLaunch',
    steps: [pool, lock],
    values: { trading_closed: 'before_launch' },
  }),
  scam('RolesToken', ['trading_closed', 'mint_power', 'freeze_power'], {
    id: 'closedToOthers',
    steps: [pool, lock, buy, call('pause()')],
    values: { trading_closed: 'closed_to_others' },
  }),
  scam('RaisedFeeToken', ['sell_simulation', 'trade_tax'], {
    id: 'feeRaised',
    steps: [pool, lock, buy, call('setSellFee(uint256)', 95n)],
  }),
  scam(
    'BlacklistTrapToken',
    ['sell_simulation', 'freeze_power', 'holder_trials', 'known_scam_code'],
    { id: 'blacklistTrapHeld', steps: CROWDED },
  ),
  scam(
    'ApprovalTrapToken',
    ['sell_simulation', 'freeze_power', 'holder_trials', 'known_scam_code'],
    { id: 'approvalTrapHeld', steps: CROWDED },
  ),
  legit('ReflectionToken', [], { id: 'reflectionHeld', steps: CROWDED }),
  legit('LimitedLaunchToken', [], { id: 'limitedLaunchHeld', steps: CROWDED }),
  legit('CooldownToken', [], { id: 'cooldownHeld', steps: CROWDED }),
  legit('FairTaxToken', [], { id: 'fairTaxHeld', steps: CROWDED }),
];

const SIMPLE: Readonly<Record<string, Step>> = {
  pool,
  lock,
  buy,
  crowd,
  few,
  sales,
  ring,
  gifts,
};
/** A step as named in NatSpec: one of the simple ones, or a call of the creator. */
const stepOf = (name: string): Step => SIMPLE[name] ?? call(name);

/** The zoo, scams before their copies. */
const CASES: readonly ZooCase[] = [
  ...(await readZoo()).map(({ kind, prediction, fails, steps }) =>
    caseOf(prediction)(kind, fails, {
      ...(steps && { steps: steps.map(stepOf) }),
      ...MORE[kind],
    }),
  ),
  ...OTHERS,
];

/**
 * The expected advice for a case: avoid a scam; a token with many holders leaves nothing to wait for; everything else
 * is minutes old.
 */
const adviceFor = ({ prediction, advice, steps = [] }: ZooCase): Advice => {
  if (prediction === 'SCAM') return 'avoid';
  return advice ?? (steps.includes(crowd) ? 'no_finding' : 'wait');
};

type Evidence = NonNullable<Check['evidence']>[number];
/** Sends a request to a node and returns its result. */
type Send = (request: NonNullable<Evidence['request']>) => Promise<unknown>;

interface Simulated {
  readonly inputs: readonly { readonly from: string; readonly input: string }[];
  readonly answers: SimulatedBlocks[number]['calls'];
  readonly paysForGas: boolean;
  /** Calls of the first block. */
  readonly purchases: number;
}

const simulated = (params: readonly unknown[], result: unknown): Simulated => {
  const [{ blockStateCalls }] = params as unknown as readonly [
    { blockStateCalls: readonly { blockOverrides: object; calls: Simulated['inputs'] }[] },
  ];
  const inputs = blockStateCalls.flatMap(({ calls }) => calls);
  const answers = (result as SimulatedBlocks).flatMap(({ calls }) => calls);
  assert.equal(answers.length, inputs.length);
  const paysForGas = blockStateCalls.some(
    ({ blockOverrides }) => 'baseFeePerGas' in blockOverrides,
  );
  return { inputs, answers, paysForGas, purchases: blockStateCalls[0]?.calls.length ?? 0 };
};

const TRANSFER = '0xa9059cbb';
const wordsOf = (answer: Simulated['answers'][number] | undefined, count: number): bigint[] =>
  decodeWords(answer?.status === '0x1' ? answer.returnData : '0x', count) ??
  Array.from({ length: count }, () => 0n);

const share = (part: bigint, whole: bigint): number =>
  whole > 0n ? Number((part * 10_000n) / whole) / 10_000 : 0;

/** Share of a sale that is lost on its way into the pool; 1 where it reverts. */
const saleLoss = ({ inputs, answers, purchases }: Simulated): number => {
  const later = inputs.slice(purchases);
  // A sale ends with the transfer or the approval, then the swap, then perhaps a balance.
  const at = purchases + later.findLastIndex(({ input }) => /^0x(?:a9059cbb|095ea7b3)/.test(input));
  if (at < purchases) return 0;
  if (answers[at]?.status !== '0x1' || answers[at + 1]?.status !== '0x1') return 1;
  // Everything is approved: the swap says how much is sold.
  const isApproved = inputs[at]?.input.startsWith('0x095ea7b3');
  const sold = BigInt(`0x${inputs[isApproved ? at + 1 : at]?.input.slice(-64)}`);
  const [received = 0n, earned = 0n] = wordsOf(answers[at + 1], 2);
  const [spent = 0n, bought = 0n] = wordsOf(answers[0], 2);
  // Share of the tokens, and of their cost.
  return 1 - Math.min(share(received, sold), share(earned * bought, spent * received));
};

/** Share of a purchase that does not arrive. */
const purchaseLoss = ({ answers, purchases }: Simulated): number => {
  const [, bought = 0n] = wordsOf(answers[0], 2);
  const [arrived = 0n] = wordsOf(answers[purchases], 1);
  return 1 - share(arrived, bought);
};

/** Whether a call by somebody other than the buyer changed balances or the buyer's sale. */
const harmsBuyer = (found: Simulated): boolean => {
  const { inputs, answers, purchases } = found;
  const trader = inputs[0]?.from;
  const acts = inputs.flatMap(({ from }, i) => (from === trader ? [] : [i]));
  const last = acts.at(-1) ?? 0;
  // The same call may be repeated, and another one may come a day earlier.
  const first = acts.findLast((at) => !acts.includes(at - 1)) ?? 0;
  if (answers[first]?.status !== '0x1') return false;
  const start = Math.max(purchases, (acts.findLast((at) => at < first) ?? -1) + 1);
  const watched = first - start;
  const amounts = (from: number) =>
    answers.slice(from, from + watched).map((one) => wordsOf(one, 1)[0]);
  const [before, after] = [amounts(start), amounts(last + 1)];
  return before.some((amount, i) => amount !== after[i]) || saleLoss(found) >= 0.5;
};

const SALE = /^0x(?:a9059cbb.{64}|5c11d795)(?<sold>.{64})/;
/**
 * Whether half of the wallets or more cannot sell: the pool then holds less than half of what was sold, in either
 * way.
 */
const areRefused = ({ inputs, answers }: Simulated): boolean => {
  let inPool = wordsOf(answers[0], 1)[0] ?? 0n;
  const works = inputs.flatMap(({ input }, i) => {
    const sold = SALE.exec(input)?.groups?.['sold'];
    if (sold === undefined) return [];
    const [after = 0n] = wordsOf(answers[i + 1], 1);
    const received = after - inPool;
    inPool = after;
    return [answers[i]?.status === '0x1' && received * 2n >= BigInt(`0x${sold}`)];
  });
  return works.filter((one) => !one).length >= works.length / 2;
};

const PROVES: Readonly<Record<string, (found: Simulated) => boolean>> = {
  holder_trials: areRefused,
  // Sales of holders as they are fail; those of earlier sellers, without gas, work.
  holder_sales: (found) => found.paysForGas === areRefused(found),
  simulation_detected: (found) =>
    // Sales of holders as they are fail; the same at a gas price of zero, or by a new wallet, work.
    found.paysForGas === areRefused(found),
  sell_simulation: (found) => saleLoss(found) >= 0.5 || purchaseLoss(found) >= 0.5,
  trade_tax: (found) => Math.max(saleLoss(found), purchaseLoss(found)) >= 0.1,
  tokens_delivered: (found) => purchaseLoss(found) > 0.5,
  trading_closed: ({ answers }) => answers[0]?.status !== '0x1',
  sell_later: (found) => saleLoss(found) >= 0.5,
  transfer_tax: ({ inputs, answers }) => {
    const at = inputs.findIndex(({ input }) => input.startsWith(TRANSFER));
    const [arrived = 0n] = wordsOf(answers[at + 1], 1);
    return share(arrived, BigInt(`0x${inputs[at]?.input.slice(-64)}`)) <= 0.9;
  },
  trade_limits: ({ answers }) => answers.some(({ status }) => status !== '0x1'),
};

const SELFDESTRUCT_OR_DELEGATECALL = /^(?:ff|f4|f2)$/;

const provesByCode = (note: string, code: string): boolean => {
  const offset = /at byte (\d+)/.exec(note)?.[1];
  if (offset !== undefined) {
    const at = 2 + 2 * Number(offset);
    return SELFDESTRUCT_OR_DELEGATECALL.test(code.slice(at, at + 2));
  }
  const names = note.match(/\w+\([\w,[\]]*\)/g) ?? [];
  const isMissing = note.startsWith('no selector of');
  return names.every((name) => code.includes(toFunctionSelector(name).slice(2)) !== isMissing);
};

const skeletonOf = (code: unknown): string =>
  codeSketch(disassemble(code as `0x${string}`)).skeleton;

/** Whether the answer to one request confirms its note and its check. */
const provesOne = (
  check: Check,
  { note = '' }: Evidence,
  { method, params }: NonNullable<Evidence['request']>,
  result: unknown,
): boolean => {
  switch (method) {
    case 'eth_simulateV1':
      return (PROVES[check.id] ?? harmsBuyer)(simulated(params, result));
    case 'eth_getCode':
      return String(result).length > 2 && provesByCode(note, String(result));
    case 'eth_call': {
      const [, said = ''] = note.split(' answers ');
      return note.includes('answers 0x')
        ? String(result).endsWith(said.slice(2))
        : said === '' || decodeText(String(result)) === said;
    }
    case 'eth_getStorageAt':
      if (note.includes('is the entry of')) return BigInt(String(result)) !== 0n;
      return note.startsWith('beacon') || String(result).endsWith(note.slice(-40));
    case 'eth_getTransactionReceipt':
      return (
        (result as { status?: string } | null)?.status === (note.includes('failed') ? '0x0' : '0x1')
      );
    default:
      return Array.isArray(result) && result.length > 0;
  }
};

/**
 * Sends every request in the evidence of a failed check, and fails if one does not confirm the claim. A copy of a
 * scam must have the same instructions as the scam it names.
 */
const replayEvidence = async (check: Check, send: Send): Promise<void> => {
  const results = [];
  for (const evidence of check.evidence ?? []) {
    if (!evidence.request) continue;
    const result = await send(evidence.request);
    assert(provesOne(check, evidence, evidence.request, result), `${check.id}: ${evidence.note}`);
    results.push(result);
  }
  assert(results.length > 0, `${check.id}: nothing to replay`);
  if (check.id === 'known_scam_code' && check.severity !== 'info') {
    assert.equal(new Set(results.map(skeletonOf)).size, 1, 'the same instructions');
  }
};

const MINER = 9;
const BUYER = 20;
/** Buyers block by block. */
const CROWD = [0, 1, 2, 3].map((block) => [0, 1, 2].map((i) => 21 + 3 * block + i));
const FEW = [21, 22, 23];
/** Sellers of the crowd, block by block. */
const SELLERS = CROWD.slice(0, 3).map((wallets) => wallets.slice(0, 2));
/** The funder of a ring, and its wallets. */
const HUB = 40;
const RING = [41, 42, 43, 44, 45, 46];
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

  const pay = (from: number, to: readonly number[], value: bigint) =>
    devnet.transact(to.map((one) => ({ from, to: devnet.address(one), value })));

  const launch = async (one: ZooCase, index: number): Promise<void> => {
    const text = { name: one.name ?? `Zoo ${one.id}`, symbol: one.symbol ?? 'ZOO' };
    // Creators differ, so that no token is scored by another's rings.
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
      if (step.kind === 'pool') await devnet.addLiquidity(token, POOL_ETHER, step.part);
      else if (step.kind === 'dump') await devnet.sell(token.address, token.creator, 1);
      else if (step.kind === 'lock') await devnet.burnLiquidity(token);
      else if (step.kind === 'call') await act(step.call, step.args);
      else if (step.kind === 'buy') await devnet.buy(token.address, BUYER, 0.2);
      else if (step.kind === 'crowd') {
        for (const wallets of CROWD) {
          await devnet.batch(() =>
            wallets.map((wallet) => devnet.buy(token.address, wallet, 0.02)),
          );
        }
      } else if (step.kind === 'few') {
        for (const wallet of FEW) await devnet.buy(token.address, wallet, 0.2);
      } else if (step.kind === 'sales') {
        for (const wallets of SELLERS) {
          await devnet.batch(() => wallets.map((one) => devnet.sell(token.address, one, 0.5)));
        }
      } else if (step.kind === 'ring') {
        await pay(creator, [HUB], 10n ** 18n);
        await pay(HUB, RING, 10n ** 17n);
        for (const one of RING) await devnet.buy(token.address, one, 0.02);
        for (const one of RING) await devnet.sell(token.address, one, 0.5);
      } else if (step.kind === 'gifts') await pay(creator, CROWD.flat(), 1n);
      else if (step.kind === 'pull') await devnet.removeLiquidity(token, step.share);
    }
  };

  const launchAll = async (): Promise<void> => {
    await devnet.setMiner(devnet.address(MINER));
    await devnet.setBalance(devnet.address(BUYER), 10n ** 22n);
    for (const wallet of CROWD.flat()) await devnet.setBalance(devnet.address(wallet), 10n ** 20n);
    for (const [index, one] of CASES.entries()) await launch(one, index);
    await stack.takeIn();
    await scoreDue(stack);
    // One more round, so that copies are recognised by the results of the first.
    const copies = CASES.filter(({ fails }) => fails.includes('known_scam_code'));
    for (const one of copies) await stack.analyzer.analyze(tokenOf(one).address);
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
      const expected = failed.includes('sell_simulation') ? one.fails : (one.orFails ?? one.fails);
      assert.deepEqual(failed.toSorted(), [...expected].toSorted(), shown);
      assert.equal(prediction, one.prediction, shown);
      assert.equal(advice, adviceFor(one), shown);
      // An advice is based on what is wrong with the token; if nothing is, on simulated trades, or on its market.
      const untried = doc.checks.filter(
        ({ id, status }) => id === 'sell_simulation' && status === 'unknown' && advice === 'wait',
      );
      const against = [...expected, ...untried.map(({ id }) => id)];
      const waiting = against.length > 0 ? against : ['market_pattern'];
      const byHolders = doc.checks.filter(
        ({ id, status }) => id.startsWith('holder_') && status === 'pass',
      );
      const passed = [...PASSED_GROUNDS, ...byHolders.map(({ id }) => id)];
      const grounds = advice === 'no_finding' ? passed : waiting;
      assert.deepEqual(
        why.filter((id) => !grounds.includes(id)),
        [],
      );
      assert.equal(why.length, Math.min(REASONS_MAX, grounds.length), why.join());
      for (const [id, value] of Object.entries(one.values ?? {})) {
        assert.equal(checkOf(doc, id)?.value, value, shown);
      }
      assertAddsUp(doc);
      const proofs = doc.checks.filter(
        ({ status, evidence }) => status === 'fail' && (evidence?.length ?? 0) > 0,
      );
      assert(prediction === 'LEGIT' || proofs.length > 0, 'evidence for a scam');
    });
  }

  let asked: ChainNode;
  let drawn = 0;
  const drawAddress = () => {
    drawn += 1;
    return `0x${'c'.repeat(38)}${drawn.toString(16).padStart(2, '0')}` as const;
  };
  /** One for all nodes: code is analysed once. */
  const contracts = createContractReader({
    node: { batch: (calls) => asked.batch(calls) },
    weth,
    drawAddress,
  });
  /** A node's results for a token: the trade, and what privileged addresses could do to buyers. */
  const findings = async (one: ZooCase, node: ChainNode) => {
    const token = tokenOf(one);
    const address = await devnet.pairOf(token.address);
    asked = node;
    drawn = 0;
    const [simulation] = await createSimulations({
      node,
      weth,
      clock: systemClock,
      drawAddress,
    }).simulate(
      [{ kind: 'reserves', token: token.address, pool: address, baseToken: weth }],
      await headOf(node),
    );
    const profile = await contracts.read({
      token: token.address,
      creator: devnet.address(token.creator),
      codeHash: ZERO_HASH,
      pool: { kind: 'reserves', pool: address, baseToken: weth },
    });
    const probe = profile?.probe;
    assert(probe?.kind === 'done', one.id);
    // Gas differs by the cost of a call from within another call.
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

  it('tells what a token is made with, which weighs nothing, in the API and in SQL', async () => {
    const [plain, library, minimal] = ['honest', 'bridged', 'MinimalProxyToken'].map((id) => {
      const one = CASES.find((each) => each.id === id);
      assert(one, id);
      return tokenOf(one).address;
    }) as [Hex, Hex, Hex];
    const { ports, keys } = createFakePorts({ tokens: createTokens(stack.clickhouse, CHAIN_ID) });
    const { key } = keys.add('pro');
    const app = await startApp(ports);
    const frameworksOf = async (token: Hex) => {
      const { body } = await app.call(`/tokens/${token}`, { key });
      const weighed = Object.keys(body.data.shap_values);
      assert.deepEqual(
        weighed.filter((one) => one.includes('framework')),
        [],
      );
      return body.data.frameworks;
    };
    try {
      assert.deepEqual(await frameworksOf(plain), []);
      assert.deepEqual(await frameworksOf(library), [
        { name: 'OpenZeppelin Contracts 5', marks: 8, of: 11 },
      ]);
      const [{ implementation, ...proxy }] = await frameworksOf(minimal);
      assert.deepEqual(proxy, { name: 'EIP-1167 proxy', marks: 1, of: 1 });
      const rows = await stack.clickhouse.query(
        `SELECT t.framework AS framework, t.implementation AS implementation, f.tokens > 2 AND f.creators = f.tokens AS is_shared
        FROM token_frameworks AS t JOIN code_families AS f ON f.chain_id = t.chain_id AND f.skeleton = t.skeleton
        WHERE t.token IN {tokens:Array(String)} ORDER BY framework`,
        { tokens: [plain, library, minimal] },
        z.object({
          framework: z.string(),
          implementation: z.string().nullable(),
          is_shared: z.number(),
        }),
      );
      assert.deepEqual(rows, [
        { framework: 'EIP-1167 proxy', implementation, is_shared: 1 },
        { framework: 'OpenZeppelin Contracts 5', implementation: null, is_shared: 1 },
      ]);
    } finally {
      await app.close();
    }
  });

  it('finds by calls alone, token by token, what it finds by eth_simulateV1', async () => {
    const { node } = stack;
    const caller = createSimulatingNode(withoutSimulations(node), systemClock);
    for (const one of CASES.filter(({ needsBlocks }) => !needsBlocks)) {
      assert.deepEqual(await findings(one, caller), await findings(one, node), one.id);
    }
  });

  it('judges a closed token again once it is open', async () => {
    const one = CASES.find(({ id }) => id === 'beforeLaunch');
    assert(one);
    const { address, creator } = tokenOf(one);
    const closed = async () => {
      const { doc } = await stack.verdict(address);
      return { doc, check: checkOf(doc, 'trading_closed') };
    };
    const before = await closed();
    assert.match(
      before.check?.reason ?? '',
      /reverts with “closed”\. The owner can open it: openTrading\(\)/,
    );
    const data = encodeFunctionData({ abi: parseAbi(['function openTrading()']) });
    await devnet.transact([{ from: creator, to: address, data }]);
    await devnet.buy(address, BUYER, 0.2);
    await stack.score(address);
    const after = await closed();
    assert.equal(after.check?.status, 'pass');
    // Young tokens that nobody can accuse are equally uncertain, for different reasons.
    const evidence = ({ margin, shap_values }: typeof after.doc): number =>
      margin - (shap_values['rule:no_accusation'] ?? 0);
    assert(evidence(after.doc) < evidence(before.doc));
  });
});

/** The contributions of a verdict add up. */
const assertAddsUp = ({ margin, probability, base_value, shap_values }: VerdictDoc): void => {
  const sum = Object.values(shap_values).reduce((total, value) => total + value, base_value);
  assert(Math.abs(sum - margin) <= 1e-6, 'contributions');
  assert(Math.abs(1 / (1 + Math.exp(-margin)) - probability) <= 1e-9, 'probability');
};

/** Reasons given with an advice, and those for a token that could be sold. */
const REASONS_MAX = 3;
const PASSED_GROUNDS = ['sell_simulation', 'trading_closed'];

const DEFAULT_STEPS: NonNullable<ZooCase['steps']> = [
  { kind: 'pool' },
  { kind: 'lock' },
  { kind: 'buy' },
];
