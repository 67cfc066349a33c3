import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { loadContractModel } from '../model/loadModel.ts';
import { OPCODE_NAMES, opcodeHistogram, opcodeShares } from '../model/opcodeHistogram.ts';
import { CHECK_WEIGHTS } from './artifacts/checkWeights.ts';
import { EXPECTED_LOG_ODDS } from './checkFeatures.ts';
import {
  type CodeOutput,
  codeContributions,
  type Decision,
  decide,
  isScorable,
  type MarketEvidence,
  marketLogOdds,
  TRAPDOOR_SHARE,
} from './decide.ts';
import { logOdds } from './logOdds.ts';

const check = (id: string, status: Check['status'], change: Partial<Check> = {}): Check => ({
  id,
  status,
  severity: 'warning',
  reason: 'because',
  evidence: [{ kind: 'call', ref: 'eth_call' }],
  ...change,
});
const SELLS = check('sell_simulation', 'pass', { severity: 'critical' });
const TRAPPED = check('sell_simulation', 'fail', { severity: 'critical' });
const UNTRIED = check('sell_simulation', 'unknown', { severity: 'critical' });
const LIKE_A_RUG = check('market_pattern', 'fail');

/** A market with the model output `margin`, at an age at which the share `prior` of pools was drained. */
const marketOf = (margin: number, prior = 0.7): MarketEvidence => ({
  baseValue: 0.4,
  contributions: { volumeBase: margin - 0.4, ageS: 0 },
  priorProbability: prior,
});
const decideOf = (
  checks: readonly Check[],
  market?: MarketEvidence,
  priorScamRate = 0.5,
  code?: CodeOutput,
  place: { ageS?: number; baseRate?: number; isSecured?: boolean } = {},
): Decision =>
  decide({
    priorScamRate,
    market,
    baseRate: place.baseRate ?? market?.priorProbability,
    ageS: place.ageS ?? 3_600,
    isSecured: place.isSecured ?? false,
    isTraded: market !== undefined,
    code,
    checks,
  });

/** Code with the code model's output `margin`. */
const codeOf = (margin: number): CodeOutput => ({
  margin,
  contributions: Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`OP${i}`, (margin - 0.9) / 12]),
  ),
});

const assertAdditive = ({ baseValue, contributions, margin, probability }: Decision): void => {
  const sum = Object.values(contributions).reduce((total, one) => total + one, baseValue);
  assert.ok(Math.abs(sum - margin) <= 1e-9, `${sum} and ${margin}`);
  assert.ok(Math.abs(1 / (1 + Math.exp(-margin)) - probability) <= 1e-12);
};

describe('decide', () => {
  it('knows nothing but the prior where nothing is known', () => {
    const { margin, baseValue, contributions } = decideOf([], undefined, 0.3);
    assert.deepEqual([margin, baseValue, contributions], [logOdds(0.3), logOdds(0.3), {}]);
  });

  it('takes from the market what differs from its age', () => {
    assert.ok(Math.abs(marketLogOdds(marketOf(logOdds(0.7)))) < 1e-12);
    assert.ok(marketLogOdds(marketOf(2)) > 0);
  });

  it('calls no young token a scam for being young', () => {
    const typical = decideOf([SELLS], marketOf(logOdds(0.8), 0.8));
    assert.equal(typical.prediction, 'LEGIT');
    assert.ok(Math.abs(typical.probability - 0.49) < 1e-9);
    assert.ok((typical.contributions['rule:no_accusation'] ?? 0) < 0);
  });

  it('lets survival count: the share of markets of an age that are drained is part of the answer', () => {
    const at = (share: number) => decideOf([SELLS], marketOf(logOdds(share), share)).probability;
    assert.ok(at(0.03) < 0.02 && at(0.3) > 0.1 && at(0.3) < 0.31, `${at(0.03)} ${at(0.3)}`);
    const elsewhere = (baseRate: number) =>
      decideOf([SELLS], undefined, 0.5, undefined, { baseRate, ageS: 7_776_000 }).probability;
    assert.ok(elsewhere(0.03) < 0.02, String(elsewhere(0.03)));
  });

  it('lets no age speak against what was done to buyers, while it does against a sign', () => {
    const old: MarketEvidence = { baseValue: -2.9, contributions: {}, priorProbability: 0.05 };
    const accused = (id: string) => decideOf([check(id, 'fail')], old).prediction;
    assert.equal(accused('simulation_detected'), 'SCAM');
    assert.equal(accused('insider_sales'), 'SCAM');
    assert.equal(accused('known_scam_code'), 'LEGIT');
    assert.equal(accused('liquidity_drained'), 'LEGIT');
  });

  it('calls clear what is unlikely to be drained for its age, and nothing else', () => {
    const said = (probability: number, ageS: number) => {
      const decision = decideOf([], marketOf(logOdds(probability)), 0.5, undefined, { ageS });
      assertAdditive(decision);
      return decision.confidence >= 0.7;
    };
    assert.deepEqual(
      [3_600, 86_400, 604_800, 2_592_000].map((ageS) =>
        [0.38, 0.28, 0.2, 0.07].map((probability) => said(probability, ageS)),
      ),
      [
        [true, true, true, true],
        [false, true, true, true],
        [false, false, true, true],
        [false, false, false, true],
      ],
    );
  });

  it('never lets anybody wait with what nobody can change, whose holders sell and whose liquidity nobody can take', () => {
    const sold = check('holder_sales', 'pass');
    const free = (checks: readonly Check[], isSecured = true) =>
      decideOf(checks, marketOf(logOdds(0.9)), 0.5, undefined, { isSecured }).confidence >= 0.7;
    assert.equal(free([SELLS, sold]), true);
    assert.equal(free([SELLS, sold], false), false);
    assert.equal(free([SELLS]), false);
    assert.equal(free([SELLS, sold, check('fee_power', 'fail')]), false);
    assert.equal(decideOf([TRAPPED, sold]).prediction, 'SCAM');
  });

  it('is never surer than 65 % of a token that nobody can buy', () => {
    const closed = check('trading_closed', 'fail', { value: 'before_launch' });
    const { probability, contributions, prediction } = decideOf([UNTRIED, closed], marketOf(-4));
    assert.equal(prediction, 'LEGIT');
    assert.ok(Math.abs(probability - 0.35) < 1e-9, String(probability));
    assert.ok((contributions['rule:untried'] ?? 0) > 0);
  });

  it('is as unsure of one that half of the holders cannot sell, whatever others could', () => {
    const probabilityOf = (severity: Check['severity']) =>
      decideOf([UNTRIED, check('holder_trials', 'unknown', { severity, value: 0.5 })], marketOf(-4))
        .probability;
    assert.ok(Math.abs(probabilityOf('critical') - 0.35) < 1e-9);
    assert.ok(Math.abs(probabilityOf('warning') - 0.2) < 1e-9);
  });

  it('accuses nobody of a token that nobody can buy and nobody can open', () => {
    const closed = check('trading_closed', 'fail', { value: 'nobody_can_open' });
    const { prediction, confidence } = decideOf([UNTRIED, closed], marketOf(logOdds(0.9)));
    assert.equal(prediction, 'LEGIT');
    assert.ok(confidence < 0.7, String(confidence));
  });

  it('accuses a token that is closed after others have bought', () => {
    const closed = check('trading_closed', 'fail', { value: 'closed_to_others' });
    assert.equal(decideOf([UNTRIED, closed], marketOf(logOdds(0.7))).prediction, 'SCAM');
  });

  it('calls nobody clearly honest some of whose buyers were robbed', () => {
    const ofHolders = (severity: Check['severity']) =>
      decideOf([SELLS, check('holder_sales', 'unknown', { severity })], marketOf(-4)).probability;
    assert.ok(Math.abs(ofHolders('critical') - 0.31) < 1e-9);
    assert.ok(ofHolders('warning') < 0.05);
  });

  it('calls nobody clearly honest whose buyers one account has in its hands', () => {
    const held = (held_by: Check['held_by']) =>
      decideOf([SELLS, check('pause_power', 'fail', { held_by })], marketOf(-4));
    const { probability, contributions } = held('wallet');
    assert.ok(Math.abs(probability - 0.31) < 1e-9, String(probability));
    assert.ok((contributions['rule:one_holder'] ?? 0) > 0);
    assertAdditive(held('wallet'));
    assert.ok(held('multisig').probability < 0.05);
    const shown = { held_by: 'unknown', shown_by: 'simulation' } as const;
    const unused = decideOf([SELLS, check('mint_power', 'fail', shown)], marketOf(-4));
    assert.ok(Math.abs(unused.probability - 0.31) < 1e-9, String(unused.probability));
    const read = { held_by: 'unknown', shown_by: 'code' } as const;
    const byCode = (id: string) => decideOf([SELLS, check(id, 'fail', read)], marketOf(-4));
    assert.ok(Math.abs(byCode('confiscation_power').probability - 0.31) < 1e-9);
    assert.ok(byCode('mint_power').probability < 0.05);
    const open = check('pause_power', 'fail', { held_by: 'wallet', severity: 'info' });
    assert.ok(decideOf([SELLS, open], marketOf(-4)).probability < 0.05);
  });

  it('counts a power less where a contract rules it, and never for less than nothing', () => {
    const addedBy = (held_by: Check['held_by'], shown_by: Check['shown_by'] = 'simulation') =>
      decideOf([check('mint_power', 'fail', { held_by, shown_by })], undefined, 0.1).contributions[
        'check:mint_power'
      ] ?? 0;
    const [wallet, multisig, timelock] = (['wallet', 'multisig', 'timelock'] as const).map((one) =>
      addedBy(one),
    ) as [number, number, number];
    assert.ok(wallet > multisig && multisig > timelock && timelock > 0);
    assert.ok(addedBy('wallet', 'code') >= 0);
    assert.ok(Object.values(CHECK_WEIGHTS).every((weight) => weight >= 0));
  });

  it('has a fitted weight for each finding whose weight is fitted', () => {
    const names = [...EXPECTED_LOG_ODDS.keys()].toSorted();
    assert.deepEqual(Object.keys(CHECK_WEIGHTS).toSorted(), names);
  });

  it('is sure of established tokens, whatever could be tried on their markets', () => {
    const known = check('listed', 'pass', { severity: 'info' });
    const open = check('mint_power', 'fail', { severity: 'info' });
    const { confidence, prediction } = decideOf([UNTRIED, known, open], marketOf(logOdds(0.7)));
    assert.deepEqual([prediction, confidence > 0.9], ['LEGIT', true]);
  });

  it('calls an established token a scam all the same where money is lost by buying', () => {
    const known = check('listed', 'pass', { severity: 'info' });
    assert.equal(decideOf([TRAPPED, known]).prediction, 'SCAM');
  });

  it('joins market and checks, each counted once', () => {
    const { contributions } = decideOf([SELLS, LIKE_A_RUG], marketOf(3));
    assert.deepEqual(Object.keys(contributions).toSorted(), [
      'check:sell_simulation',
      'prior:age',
      'volumeBase',
    ]);
  });

  it('moves with the share of scams that the operator expects', () => {
    const rates = [0.1, 0.5, 0.9].map((rate) => decideOf([LIKE_A_RUG], marketOf(1.5), rate));
    assert.deepEqual(
      rates.map(({ prediction }) => prediction),
      ['LEGIT', 'SCAM', 'SCAM'],
    );
  });

  for (const [name, checks, market, prediction] of [
    ['proof', [TRAPPED], undefined, 'SCAM'],
    ['proof against the best of markets', [TRAPPED], marketOf(-6), 'SCAM'],
    ['a market like a rug', [SELLS, LIKE_A_RUG], marketOf(4), 'SCAM'],
    ['a market like a rug, held against nobody', [SELLS], marketOf(4), 'LEGIT'],
    [
      'every circumstance there is',
      [
        SELLS,
        ...[
          'mint_power',
          'pause_power',
          'fee_power',
          'freeze_power',
          'blacklist_power',
          'delegatecall',
          'self_destruct',
          'holder_concentration',
        ].map((id) => check(id, 'fail')),
      ],
      marketOf(logOdds(0.7)),
      'LEGIT',
    ],
    [
      'a critical check without evidence',
      [check('x', 'fail', { severity: 'critical', evidence: [] })],
      undefined,
      'LEGIT',
    ],
    [
      'an owner and a proxy',
      [
        check('proxy', 'fail', { severity: 'info' }),
        check('owner_renounced', 'fail', { severity: 'info' }),
      ],
      undefined,
      'LEGIT',
    ],
    [
      'a disguise',
      [SELLS, check('look_alike', 'fail', { value: 'disguised' })],
      marketOf(logOdds(0.7)),
      'SCAM',
    ],
    [
      'an invitation for a name, without any market',
      [check('name_spam', 'fail', { value: 0.99 })],
      undefined,
      'SCAM',
    ],
    [
      'a name that is only like those of spam',
      [check('name_spam', 'fail', { value: 0.99, severity: 'info' })],
      undefined,
      'LEGIT',
    ],
    [
      'a tax of 12 %',
      [SELLS, check('trade_tax', 'fail', { value: 0.12 })],
      marketOf(logOdds(0.7)),
      'LEGIT',
    ],
    [
      'a tax of 25 %',
      [SELLS, check('trade_tax', 'fail', { value: 0.25 })],
      marketOf(logOdds(0.7)),
      'SCAM',
    ],
  ] as const) {
    it(`${name}: ${prediction}`, () => {
      const decision = decideOf(checks, market);
      assert.equal(decision.prediction, prediction, JSON.stringify(decision));
      assertAdditive(decision);
    });
  }

  it('adds what the model of names says beyond the share of spam among them, four at most', () => {
    const addedBy = (value: number) =>
      decideOf([check('name_spam', 'fail', { value })]).contributions['check:name_spam'] ?? 0;
    assert.equal(addedBy(0.9999), 4);
    assert.ok(Math.abs(addedBy(0.5) - Math.log(0.8415 / 0.1585)) < 0.01, String(addedBy(0.5)));
    const passed = decideOf([check('name_spam', 'pass', { value: 0.01 })], undefined, 0.3);
    assert.deepEqual(passed.contributions, {});
  });

  it('finds no comfort in sales where much of the liquidity was withdrawn', () => {
    const sells = [SELLS, check('holder_sales', 'pass'), check('listed', 'pass')];
    const pulled = decideOf([...sells, check('liquidity_drained', 'fail')], marketOf(0));
    const { contributions: added } = pulled;
    assert.deepEqual(
      ['sell_simulation', 'holder_sales', 'liquidity_drained', 'listed'].map(
        (id) => added[`check:${id}`],
      ),
      [undefined, undefined, 1.8, -4],
    );
    assertAdditive(pulled);
    assert.equal(decideOf(sells, marketOf(0)).contributions['check:holder_sales'], -0.5);
  });

  it('is never below 97 % where there is proof', () => {
    assert.ok(decideOf([TRAPPED], marketOf(-6)).probability >= 0.97 - 1e-9);
  });

  it('makes nobody look safe because a sale could not be tried', () => {
    const untried = decideOf([UNTRIED], marketOf(-6));
    assert.ok(Math.abs(untried.probability - 0.2) < 1e-9);
    assert.ok(decideOf([SELLS], marketOf(-6)).probability < 0.05);
    assert.ok(untried.probability >= decideOf([SELLS], marketOf(-6)).probability);
  });

  it('takes code like that of trapdoors for a circumstance, and other code for nothing', () => {
    const guilty = decideOf([SELLS], marketOf(logOdds(0.7)), 0.5, codeOf(9));
    assertAdditive(guilty);
    const added = Object.entries(guilty.contributions).filter(([name]) => name.startsWith('code:'));
    const sum = added.reduce((total, [, value]) => total + value, 0);
    assert.ok(Math.abs(sum - 1.5) < 1e-9, `${sum}`);
    assert.equal(added.length, 9);
    assert.equal(guilty.prediction, 'LEGIT');
    const plain = decideOf([SELLS], marketOf(logOdds(0.7)), 0.5);
    assert.deepEqual(decideOf([SELLS], marketOf(logOdds(0.7)), 0.5, codeOf(-6)), plain);
    const halfway = decideOf([], undefined, 0.5, codeOf(logOdds(TRAPDOOR_SHARE) + 1));
    assert.ok(halfway.margin <= 0.5 && halfway.margin > -0.1);
    assertAdditive(halfway);
  });

  it('shares the limit of circumstances between code and checks', () => {
    const powers = ['mint_power', 'freeze_power', 'fee_power'].map((id) => check(id, 'fail'));
    const decision = decideOf(powers, undefined, 0.1, codeOf(9));
    assertAdditive(decision);
    assert.ok(Math.abs(decision.margin - decision.baseValue - 1.5) < 1e-9);
  });

  it('adds up and is confident of what it predicts, whatever is known', () => {
    const ids = ['mint_power', 'market_pattern', 'look_alike', 'sell_later', 'sell_simulation'];
    const statuses = ['pass', 'fail', 'unknown', 'not_applicable'] as const;
    for (let i = 0; i < 1_000; i += 1) {
      const checks = ids.map((id, k) => check(id, statuses[(i >> (2 * k)) & 3] ?? 'pass'));
      const market =
        i % 5 === 0 ? undefined : marketOf(((i * 37) % 120) / 10 - 6, (i % 9) / 10 + 0.05);
      const decision = decideOf(checks, market, ((i % 8) + 1) / 10);
      assertAdditive(decision);
      assert.ok(decision.confidence >= 0.5 && decision.confidence <= 1);
      assert.equal(decision.prediction === 'SCAM', decision.probability >= 0.5);
      if (decision.prediction === 'SCAM') assert.ok(checks.some(({ status }) => status === 'fail'));
    }
  });
});

/** Few random codes look like a trapdoor. */
const CODES = 1_500;

describe('evidence of contract code', () => {
  it('starts from the share of trapdoors in the training data', () => {
    const path = join(projectRoot(), 'pipeline/scorer/model/contractArtifacts/card.json');
    const { trainShare } = JSON.parse(readFileSync(path, 'utf8')) as { trainShare: number };
    assert.equal(TRAPDOOR_SHARE, trainShare);
  });

  it('adds up to half of what exceeds that share, whatever the code, and is never below nothing', async () => {
    const model = await loadContractModel();
    let state = 7;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const codes = Array.from({ length: CODES }, () =>
      Float64Array.from(OPCODE_NAMES, () => (random() < 0.9 ? Math.floor(random() ** 4 * 300) : 0)),
    );
    const prior = Math.log(TRAPDOOR_SHARE / (1 - TRAPDOOR_SHARE));
    let accused = 0;
    for (const output of await model.predict(codes.map(opcodeShares))) {
      const parts = Object.values(codeContributions(output));
      const sum = parts.reduce((total, value) => total + value, 0);
      const wanted = Math.max(0, 0.5 * (output.margin - prior));
      assert.ok(Math.abs(sum - wanted) < 1e-6, `${sum} instead of ${wanted}`);
      if (sum > 0) accused += 1;
      else assert.deepEqual(parts, []);
    }
    assert.ok(accused > 0 && accused < CODES, `${accused} of ${CODES}`);
  });

  it('judges no code of compilers it has not seen', () => {
    assert.equal(isScorable(opcodeHistogram('0x6080604052348015f3')), true);
    assert.equal(isScorable(opcodeHistogram('0x5f5f5f5f60806040')), false);
  });
});
