import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf, verdictOf } from '../testing/fakePorts.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { answeredTopics, verdictCard, weighedEvidence } from './verdictCard.ts';

const check = (
  id: string,
  status: 'pass' | 'fail' | 'unknown' | 'not_applicable',
  severity: 'critical' | 'warning' | 'info' = 'warning',
) => ({ id, status, severity, reason: `${id} is ${status}.` });

const { doc } = verdictOf(addressOf(1));
const verdict: Verdict = verdictOf(addressOf(1), {
  clusterId: 'cl_7f3a',
  doc: {
    ...doc,
    checks: [
      check('mint_power', 'pass'),
      check('owner_renounced', 'fail', 'info'),
      check('trade_tax', 'unknown'),
      check('sell_simulation', 'fail', 'critical'),
      check('proxy', 'not_applicable'),
      check('brand_new', 'pass'),
    ],
    shap_values: {
      'check:sell_simulation': 3.5,
      ageS: 0.5,
      eventCount: 0.4,
      'prior:age': -0.2,
      'rule:untried': 0.01,
    },
    creator: { address: addressOf(0xcc), risk_score: 88, tokens_created: 17, scam_rate: 0.82 },
  },
});
const answers = (of: Verdict = verdict) =>
  answeredTopics(of, 'en').map(({ title, open, inOrder }) => [
    title,
    open.map(({ id, answer, tone }) => `${id}: ${answer} (${tone})`),
    inOrder.map(({ id, answer }) => `${id}: ${answer}`),
  ]);

describe('checks as questions', () => {
  it('are answered with yes or no, by topic, the gravest first and those in order apart', () => {
    assert.deepEqual(answers(), [
      ['Buying and selling', ['sell_simulation: No (bad)', 'trade_tax: Unknown (unknown)'], []],
      [
        'Powers of the owner',
        ['owner_renounced: No (plain)'],
        ['mint_power: No', 'proxy: Not applicable'],
      ],
      ['Liquidity and locks', [], []],
      ['Holders', [], []],
      ['Creator and ring', ['creator_record: Yes (bad)', 'creator_ring: Yes (bad)'], []],
      ['Name', [], ['brand_new: Yes']],
    ]);
  });

  it('without an answer are folded where they are many', () => {
    const checks = ['sell_simulation', 'sell_later', 'trade_tax'].map((id) => check(id, 'unknown'));
    const failed = check('transfer_tax', 'fail');
    const folded = { ...verdict, doc: { ...verdict.doc, checks: [...checks, failed] } };
    const [selling] = answeredTopics(folded, 'en');
    assert.deepEqual(
      [selling?.open, selling?.unanswered].map((list) => list?.map(({ id }) => id)),
      [['transfer_tax'], ['sell_simulation', 'sell_later', 'trade_tax']],
    );
  });

  it('do not count a token itself among the earlier scams of its creator', () => {
    const creator = { ...verdict.doc.creator, tokens_created: 1, scam_rate: 1 };
    const first = { ...verdict, clusterId: null, doc: { ...verdict.doc, creator } };
    const [, , , , ofCreator] = answers(first);
    assert.deepEqual(ofCreator?.[2], ['creator_record: No', 'creator_ring: No']);
    const [said, saidOfMany] = [first, verdict].map((of) => {
      const creators = answeredTopics(of, 'en')[4];
      return [...(creators?.open ?? []), ...(creators?.inOrder ?? [])][0]?.text;
    });
    assert.equal(said, 'The creator made no other token.');
    assert.equal(saidOfMany, 'Other tokens of the creator: 16; judged scams: 13.');
  });
});

describe('a verdict in five seconds', () => {
  it('says what to do, how sure it is, why, and what was not seen, in each language', () => {
    const card = verdictCard(verdict, 'en');
    assert.equal(card.advice, 'Do not buy.');
    assert.equal(card.sure, '95%, clear');
    assert.deepEqual(card.reasons, ['sell_simulation is fail.']);
    assert.deepEqual(card.notSeen, ['Does trading it cost a lot?']);
    assert.match(card.next, /never pay anyone/);
    const unclear = { ...verdict, confidence: 0.6 };
    assert.match(verdictCard(unclear, 'es').sure, /^60.%, no está claro$/);
    assert.equal(verdictCard(verdict, 'ru').notSeen[0], 'Дорого ли обходится сделка?');
  });

  it('weighs evidence in words, what belongs together as one, and leaves out what weighs nothing', () => {
    assert.deepEqual(
      weighedEvidence(verdict.doc, 'en').map(({ weight, text }) => `${weight}: ${text}`),
      [
        'strong evidence for a scam: sell_simulation is fail.',
        'some evidence for a scam: How its market behaves overall',
        'weak evidence against a scam: What is typical at its age',
      ],
    );
  });
});
