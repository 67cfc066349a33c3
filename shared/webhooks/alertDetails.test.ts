import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Alert } from '../messages/alertMessage.ts';
import type { Language } from '../sentences/language.ts';
import { detailLine, detailLines, readableDetails } from './alertDetails.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const POOL = `0x${'cd'.repeat(20)}`;

const RUG: Alert['details'] = {
  creator_sold_usd: 14_800.000_000_000_002,
  liquidity_change: -0.973_333_333,
  liquidity_before_usd: 30_200.5,
  cause: 'burn',
  pool: POOL,
  tx_hash: `0x${'ef'.repeat(32)}`,
  block_number: 24_811_301,
};
/** Locales put non-breaking spaces before signs. */
const plainSpaces = (text: string): string => text.replaceAll(/\s/g, ' ');
const linesOf = (details: Alert['details'], language: Language): string[] =>
  detailLines(details, language).map(plainSpaces);
const textOf = (details: Alert['details'], language: Language = 'en'): string[] =>
  readableDetails(details, language).map(({ text }) => plainSpaces(text));

describe('details of an alert', () => {
  it('are said in the language, the most telling first, without what can only be looked up', () => {
    assert.deepEqual(linesOf(RUG, 'en'), [
      'Change of the liquidity: -97.33%',
      'Liquidity before: $30,200.50',
      'What happened: liquidity was withdrawn',
      'Paid out to the creator: $14,800.00',
    ]);
    assert.deepEqual(linesOf(RUG, 'ru'), [
      'Изменение ликвидности: -97,33 %',
      'Ликвидность до этого: 30 200,50 $',
      'Что произошло: ликвидность выведена',
      'Выплачено создателю: 14 800,00 $',
    ]);
    assert.deepEqual(linesOf(RUG, 'es').slice(0, 2), [
      'Cambio de la liquidez: -97,33 %',
      'Liquidez antes: 30.200,50 US$',
    ]);
    assert.deepEqual(linesOf(RUG, 'zh').slice(2), [
      '发生了什么：流动性被撤出',
      '付给创建者：US$14,800.00',
    ]);
    assert.equal(
      detailLine(RUG, 'en'),
      'Change of the liquidity: -97.33% · Liquidity before: $30,200.50',
    );
    assert.equal(detailLine({}, 'en'), '');
  });

  it('are all there on a page, with what can be looked up at the end', () => {
    assert.deepEqual(
      readableDetails(RUG, 'en')
        .slice(-3)
        .map(({ kind, label, text }) => `${kind} ${label} ${text}`),
      [
        `contract Pool ${POOL}`,
        `transaction Transaction ${RUG['tx_hash']}`,
        'block Block 24811301',
      ],
    );
  });

  it('have units', () => {
    assert.deepEqual(
      textOf({ window_seconds: 3_600, tax_change: 0.155, risk_score: 93.46, confidence: 0.9235 }),
      ['1 hour', '+15.5 percentage points', '92.35%', '93 of 100'],
    );
    assert.deepEqual(textOf({ seconds_left: 9_000 }, 'ru'), ['2,5 часа']);
    assert.deepEqual(textOf({ unlock_at: 1_795_239_009 }), ['November 21, 2026 at 05:30:09 UTC']);
    assert.deepEqual(textOf({ minted: '500000000000000000000000' }), ['5 × 10²³']);
    assert.deepEqual(textOf({ minted: '1234567' }, 'zh'), ['123.5万']);
  });

  it('say what is not known, and nothing of a transaction where there is none', () => {
    const nobody = `0x${'0'.repeat(40)}`;
    const details = { seller: null, tx_hash: null, new_owner: nobody, previous_owner: ADDRESS };
    assert.deepEqual(
      readableDetails(details, 'en').map(({ kind, text }) => [kind, text]),
      [
        ['word', 'not known'],
        ['word', 'nobody'],
        ['address', ADDRESS],
      ],
    );
    assert.deepEqual(textOf({ renounced: true }, 'es'), ['sí']);
  });

  it('end with the year 9999, however long a lock is', () => {
    assert.match(textOf({ unlock_at: 1.157e77 })[0] ?? '', /^December 31, 9999/);
  });

  it('are plain text where a value is not what its name promises, or the name is unknown', () => {
    const hostile = '<a href="x">\u202ea.com</a> @all';
    const shown = '<a href="x">a[.]com</a> (at)all';
    const details = { seller: hostile, cause: hostile, lock: hostile, newer_field: hostile };
    assert.deepEqual(
      readableDetails(details, 'en').map(({ kind, label, text }) => [kind, label, text]),
      [
        ['text', 'What happened', shown],
        ['text', 'Seller', shown],
        ['text', 'Number of the lock', shown],
        ['text', 'newer field', shown],
      ],
    );
    assert.deepEqual(textOf({ seller: `${ADDRESS}"onclick=` }), [`${ADDRESS.slice(0, 40)}…`]);
    assert.equal(readableDetails({ seller: 5 }, 'en')[0]?.kind, 'text');
    assert.deepEqual(textOf({ constructor: 'x', cause: 'toString' }), ['toString', 'x']);
  });
});
