import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { adviceSentence } from '../../../shared/rules/advice.ts';
import {
  CHECK_NAMES,
  QUESTIONS,
  SENTENCES,
  type SentenceCode,
} from '../../../shared/sentences/checkWords.ts';
import { LANGUAGES } from '../../../shared/sentences/language.ts';
import { LOCALES_FOLDER } from '../../../shared/sentences/messages.ts';
import { type Sentence, type SentenceValue, sentence } from '../../../shared/sentences/sentence.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { exportedByTests } from '../../../shared/testing/exportedByTests.ts';
import { type ContractProfile, HOLDER_KINDS, type Power } from '../contract/contractProfile.ts';
import type { ValuedPool } from '../features/tokenFeatures.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { checkInputOf, contractOf, OWNER_CALLER, probeOf } from '../testing/checkInputOf.ts';
import type { CheckInput, TradeSimulation } from './checkInput.ts';
import { type CheckResult, checkOf, sentencesOf } from './checkResult.ts';
import { CHECKS, runChecks } from './checks.ts';

const OTHER = `0x${'b'.repeat(40)}` as const;
const SLOT = `0x${'e'.repeat(64)}` as const;
const RENOUNCED = { kind: 'renounced', address: OTHER, via: 'owner()' } as const;

const poolOf = (currentBase: number, peakBase: number): ValuedPool =>
  ({
    stored: {
      pool_address: OTHER,
      last_block: 9,
      largest_drop_tx: SLOT,
      current_base: String(currentBase),
      peak_base: String(peakBase),
    },
    currentBase,
    peakBase,
    liquidityUsd: 0,
  }) as unknown as ValuedPool;

type Traded = Extract<TradeSimulation, { kind: 'traded' }>;
const traded = (change: Partial<Traded>): TradeSimulation => ({
  kind: 'traded',
  blockNumber: 7,
  buyTax: 0,
  sellTax: 0,
  transfer: { kind: 'moved', tax: 0 },
  limits: [],
  shownBy: { sale: [], transfer: [], limits: [] },
  ...change,
});
const power = (kind: Power['kind'], origin: Power['caller']['origin']): Power => ({
  kind,
  caller: { ...OWNER_CALLER, origin },
  selector: '0xdeadbeef',
  data: '0x',
  value: 0.75,
});
const named = (signature: string) => ({
  selector: selectorOf(signature),
  arguments: '',
  writes: true,
});
const withProbe = (probe: ContractProfile['probe'], change: Partial<ContractProfile> = {}) =>
  checkInputOf({ contract: contractOf({ probe, ...change }) });
const withTrade = (
  change: Partial<NonNullable<Extract<ContractProfile['probe'], { kind: 'done' }>['trade']>>,
): CheckInput => {
  const probe = probeOf([]);
  assert(probe.kind === 'done' && probe.trade);
  return withProbe({ ...probe, trade: { ...probe.trade, ...change } });
};

/** Why simulations give no result: whole sentences. */
const UNKNOWNS = [
  sentence('noPoolToTrade'),
  sentence('behindHead'),
  sentence('otherBase'),
  sentence('curveBuyFails', { why: sentence('revertsSilently') }),
  sentence('curveRefuses', { why: sentence('revertsSilently') }),
  sentence('curveEmpty'),
  sentence('nodeCannotSimulate'),
  sentence('nodeRefusesProbe'),
  sentence('nodeWithoutHead'),
  sentence('nodeSilent'),
  sentence('answerTooLarge'),
  sentence('answerUnreadable'),
  sentence('simulationRefused', { code: '-32000' }),
  sentence('simulationEndless'),
  sentence('simulationsLimited'),
  sentence('balanceMoved'),
  sentence('balanceNotReported'),
  sentence('poolTooSmall'),
];
/** Why a simulated call fails: parts of sentences. */
const FAILURES = [
  sentence('revertsSilently'),
  sentence('revertsOverlong'),
  sentence('revertsUnreadably'),
  sentence('revertsWith', { text: '0x00' }),
  sentence('revertsCustom', { selector: '0xdeadbeef' }),
  sentence('panics', { code: '0x11' }),
  sentence('deliversNothing'),
  sentence('earnsNothing'),
  sentence('keeps', { share: 0.9 }),
  sentence('byTransfer', { why: sentence('revertsSilently') }),
  sentence('byRouter', { why: sentence('earnsNothing') }),
  sentence('hookReverts', { why: sentence('revertsSilently') }),
];
const LIMITS = [
  { kind: 'purchase', share: 0.02 },
  { kind: 'wallet', share: 0.02 },
  { kind: 'sale', share: 0.0005 },
] as const;

const BUY_FAILS: TradeSimulation = {
  kind: 'buyFails',
  blockNumber: 7,
  reason: sentence('revertsSilently'),
  shownBy: [],
};
/** Established tokens of Ethereum. */
const LISTED = {
  eth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  uni: '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984',
} as const;
/** A list accuses nobody. */
const NEVER_FAILING: ReadonlySet<string> = new Set(['listed']);
/** What to do if a result of a check is not covered. */
const ADD_INPUT = 'add one to the INPUTS that its test exports';

/** Inputs that produce every possible result of checks, in addition to those of their own tests. */
const INPUTS: readonly CheckInput[] = [
  checkInputOf(),
  checkInputOf({ pool: poolOf(9, 10), marketEvidence: 2, holderCount: 50 }),
  checkInputOf({ pool: poolOf(9, 10), marketEvidence: -1, idleDays: 12, holderCount: 50 }),
  checkInputOf({
    pool: poolOf(0, 10),
    marketEvidence: -1,
    holderCount: 50,
    areBalancesKnown: false,
  }),
  checkInputOf({ symbol: 'USD\u0422' }),
  checkInputOf({ chainId: 1, name: 'Tether USD', symbol: 'USDT' }),
  checkInputOf({ symbol: 'PEPE' }),
  checkInputOf({ token: OTHER, bases: [LISTED.eth, OTHER] }),
  ...(['eth', 'usdc', 'uni'] as const).map((known) =>
    checkInputOf({ chainId: 1, token: LISTED[known], contract: contractOf() }),
  ),
  checkInputOf({ name: '! 5eth.vip', symbol: 'Visit https://5eth.vip to claim Airdrop' }),
  checkInputOf({ name: '', symbol: '' }),
  checkInputOf({ spread: { recipients: 2_000, unasked: 1_990, batches: 20, largest_batch: SLOT } }),
  checkInputOf({ spread: { recipients: 2, unasked: 0, batches: 0, largest_batch: SLOT } }),
  checkInputOf({ chainId: 1, token: '0xdac17f958d2ee523a2206206994597c13d831ec7' }),
  checkInputOf({ holderCount: 50, topTenConcentration: 0.95 }),
  checkInputOf({
    simulation: {
      kind: 'sellFails',
      blockNumber: 7,
      reason: sentence('revertsSilently'),
      limits: [],
      isRouterRefused: true,
      shownBy: [],
    },
    contract: contractOf({
      codePowers: [
        {
          power: 'limit',
          reason: 'onlyEnteredSpend',
          selector: '0x23b872dd',
          holder: { kind: 'unknown', address: null, slot: null, isEntry: false },
        },
      ],
    }),
  }),
  ...UNKNOWNS.flatMap((reason) => [
    checkInputOf({ simulation: { kind: 'unknown', reason } }),
    withProbe({ kind: 'unknown', reason }, { owner: RENOUNCED }),
  ]),
  ...FAILURES.flatMap((reason) => [
    checkInputOf({ simulation: { kind: 'buyFails', blockNumber: 7, reason, shownBy: [] } }),
    checkInputOf({
      simulation: { kind: 'sellFails', blockNumber: 7, reason, limits: [], shownBy: [] },
    }),
    checkInputOf({
      simulation: { kind: 'sellFails', blockNumber: 7, reason, limits: LIMITS, shownBy: [] },
    }),
    checkInputOf({
      simulation: {
        kind: 'sellFails',
        blockNumber: 7,
        reason,
        limits: [],
        walletLimit: [],
        shownBy: [],
      },
    }),
    checkInputOf({ simulation: traded({ transfer: { kind: 'failed', reason } }) }),
    withTrade({ sellsLater: false, laterReason: reason }),
    withTrade({ weeksLaterReason: reason }),
    withTrade({ profit: { size: '500', times: 10, reason } }),
  ]),
  ...(
    [
      { contract: contractOf({ owner: RENOUNCED }) },
      { contract: contractOf({ functions: [named('enableTrading()')] }) },
    ] as const
  ).map((change) => checkInputOf({ simulation: BUY_FAILS, ...change })),
  checkInputOf({ simulation: traded({}) }),
  checkInputOf({ simulation: traded({ sellableAfterS: 3_600, sellTax: 0.2 }) }),
  checkInputOf({ simulation: traded({ buyTax: 0.9, limits: LIMITS }) }),
  checkInputOf({ simulation: traded({ sellTax: 0.9, transfer: { kind: 'moved', tax: 0.5 } }) }),
  { ...withTrade({ laterTax: 0.02 }), simulation: traded({ sellTax: 0.2 }) },
  withTrade({ delivered: 0.25, saleGas: 3_000_000 }),
  withTrade({ sells: false }),
  withProbe({ ...probeOf([]), trade: null } as ContractProfile['probe']),
  ...(['mint', 'confiscate', 'drain', 'freeze', 'tax'] as const).flatMap((kind) =>
    (['owner', 'creator', 'storage', 'code', 'creation', 'anyone'] as const).map((origin) =>
      withProbe(probeOf([power(kind, origin)]), { owner: RENOUNCED }),
    ),
  ),
  withProbe(probeOf([]), {
    functions: ['pause()', 'addBot(address)', 'setTrading(bool)', 'setMaxTxAmount(uint256)'].map(
      named,
    ),
  }),
  withProbe(probeOf([]), { functions: [named('pause()')], owner: RENOUNCED }),
  ...HOLDER_KINDS.map((kind) =>
    withProbe(probeOf([]), {
      codePowers: [
        {
          power: 'mint',
          reason: 'mintedByPrivileged',
          selector: '0x40c10f19',
          holder: { kind, address: OTHER, slot: SLOT, isEntry: kind === 'multisig' },
        },
      ],
    }),
  ),
  withProbe(probeOf([]), { owner: { kind: 'none', address: null, via: null } }),
  withProbe(probeOf([]), {
    functions: [
      'totalSupply()',
      'balanceOf(address)',
      'transfer(address,uint256)',
      'transferFrom(address,address,uint256)',
      'approve(address,uint256)',
      'allowance(address,address)',
    ].map(named),
    patterns: { selfDestructAt: 3, delegateCallAt: 9, comparedCallers: [] },
  }),
  withProbe(probeOf([]), {
    patterns: { selfDestructAt: null, delegateCallAt: 9, comparedCallers: [] },
    proxy: { kind: 'eip1967', implementation: OTHER, slot: SLOT, admin: null },
  }),
  withProbe(probeOf([]), {
    proxy: { kind: 'eip1967', implementation: OTHER, slot: SLOT, admin: null, ruler: OTHER },
    holders: [{ address: OTHER, kind: 'wallet' }],
  }),
  withProbe(probeOf([]), {
    proxy: {
      kind: 'eip1967',
      implementation: OTHER,
      slot: SLOT,
      admin: null,
      upgrade: { caller: OTHER, data: '0x3659cfe6' },
    },
    holders: [{ address: OTHER, kind: 'wallet' }],
  }),
  withProbe(probeOf([]), {
    proxy: { kind: 'eip1167', implementation: OTHER, slot: null, admin: null },
  }),
  withProbe(probeOf([]), {
    proxy: { kind: 'eip7702', implementation: OTHER, slot: null, admin: null },
  }),
  ...[
    { scams: 3, others: 1, example: OTHER },
    { scams: 0, others: 0, example: null },
  ].map((twins) => checkInputOf({ contract: contractOf(), twins })),
  checkInputOf({
    contract: contractOf({ nearScam: { token: OTHER, similarity: 0.9 } }),
    twins: { scams: 0, others: 0, example: null },
  }),
  checkInputOf({ protocol: 'uniswap_v3', idleDays: 12 }),
  ...[0.05, 0.4].map((sniped) =>
    checkInputOf({
      protocol: 'four_meme',
      launch: {
        sniped,
        byCreator: sniped / 2,
        creator: 0.1,
        block: 7,
        txHash: `0x${'7'.repeat(64)}` as const,
      },
    }),
  ),
];
/**
 * Results of simulations as holders: all can sell while a new buyer cannot; none can; none who pays for gas; none but
 * a new buyer.
 */
const TRIALS: readonly CheckInput[] = (
  [
    [0, 0, false],
    [6, 0, false],
    [6, 6, false],
    [6, 0, true],
  ] as const
).map(([refused, soldForFree, isNewFree]) => {
  const wallets = (count: number): Hex[] => Array.from({ length: count }, () => OTHER);
  const reason = sentence('revertsSilently');
  return checkInputOf({
    trials: {
      blockNumber: 7,
      tried: 6,
      sold: wallets(6 - refused),
      refused: wallets(refused),
      soldForFree: wallets(soldForFree),
      reason,
      shownBy: { paid: [], free: [], later: [] },
    },
    simulation: isNewFree
      ? traded({})
      : { kind: 'sellFails', blockNumber: 7, reason, limits: [], shownBy: [] },
  });
});
const RESULTS: readonly CheckResult[] = [
  ...INPUTS,
  ...TRIALS,
  ...(await exportedByTests<CheckInput>(import.meta.filename, 'INPUTS')),
].flatMap(runChecks);

const isSentence = (value: SentenceValue): value is Sentence =>
  typeof value === 'object' && 'code' in value;
const valuesOf = ({ values = {} }: Sentence): SentenceValue[] =>
  Object.values(values).flatMap((value) => (Array.isArray(value) ? value : [value]));
const codesIn = (said: Sentence): SentenceCode[] => [
  said.code,
  ...valuesOf(said).filter(isSentence).flatMap(codesIn),
];
/** Texts that are the same in every language. */
const namesIn = (said: Sentence): string[] =>
  valuesOf(said).flatMap((value) => {
    if (typeof value === 'string') return [value];
    return isSentence(value) ? namesIn(value) : [];
  });
const said = ({ reason, evidence = [] }: CheckResult): Sentence[] => [
  reason,
  ...evidence.map(({ note }) => note),
];

describe('what checks say', () => {
  it('is every sentence there is, at every end of every check', () => {
    const advice = (['SCAM', 'LEGIT'] as const).flatMap((prediction) =>
      [0.6, 0.9].map((confidence) => adviceSentence({ prediction, confidence })),
    );
    const reached = new Set([...RESULTS.flatMap(said), ...advice].flatMap(codesIn));
    const missing = SENTENCES.keys.filter((code) => !reached.has(code));
    assert.deepEqual(missing, [], `no input makes a check say this: ${ADD_INPUT}`);
    for (const id of CHECKS.keys()) {
      const own = RESULTS.filter((result) => result.id === id);
      const statuses = new Set(own.map(({ status }) => status));
      assert.ok(statuses.has('pass'), `no input passes ${id}: ${ADD_INPUT}`);
      const isFailed = statuses.has('fail') || NEVER_FAILING.has(id);
      assert.ok(isFailed, `no input fails ${id}: ${ADD_INPUT}`);
    }
  });

  it('begins with a name and, where there is one, a question', () => {
    const file = `${LOCALES_FOLDER}/en/checks.json`;
    for (const { id, question } of CHECKS.values()) {
      assert.ok(CHECK_NAMES.has(id), `${file} lacks "name" in "${id}"`);
      if (question) assert.ok(QUESTIONS.has(id), `${file} lacks "question" in "${id}"`);
    }
    assert.deepEqual(
      CHECK_NAMES.keys.filter((id) => !CHECKS.has(id)),
      [],
      `${file} names what is not in checks.ts`,
    );
    assert.deepEqual(
      QUESTIONS.keys.filter((id) => !CHECKS.get(id)?.question),
      [],
      `${file} asks what no check answers`,
    );
  });

  it('is said in each language, at every end of every check', () => {
    for (const result of RESULTS) {
      for (const one of said(result)) {
        const english = writeSentence(one, 'en');
        if (one.code === 'verbatim') continue;
        const names = namesIn(one).toSorted((a, b) => b.length - a.length);
        for (const language of LANGUAGES.filter((each) => each !== 'en')) {
          const text = writeSentence(one, language);
          assert.notEqual(text, english, `${language} ${one.code}`);
          if (language === 'es') continue;
          const own = names.reduce((rest, name) => rest.replaceAll(name, ''), text);
          const bare = own.replaceAll(
            /eth_simulateV1|ERC-20|Transfer|Sync|shap_values|gas|Uniswap V2|UTC/g,
            '',
          );
          assert.doesNotMatch(bare, /[A-Za-z]/, `${language} ${one.code}: ${text}`);
        }
      }
    }
  });

  it('is shown in English, and kept for other languages', () => {
    const results = runChecks(
      checkInputOf({ simulation: traded({ sellTax: 0.9 }), contract: contractOf() }),
    );
    const sale = results.find(({ id }) => id === 'sell_simulation');
    assert.ok(sale);
    const check = checkOf(sale);
    assert.equal(check.reason, 'A sale keeps 90% of the amount.');
    assert.match(check.evidence?.[0]?.note ?? '', /^buy 0x1{40}, then sell it$/);
    const kept = sentencesOf(results);
    assert.deepEqual(
      Object.keys(kept),
      results.map(({ id }) => id),
    );
    assert.equal(kept['sell_simulation']?.reason.code, 'saleKeeps');
    assert.equal(kept['sell_simulation']?.notes.length, check.evidence?.length);
  });
});
