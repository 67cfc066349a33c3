import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FORMATS } from './formats.ts';
import { LANGUAGES } from './language.ts';
import { type Sentence, sentence, sentenceSchema } from './sentence.ts';
import { writeSentence } from './writeSentence.ts';

describe('sentences of checks', () => {
  it('write numbers, shares, lists and other sentences as the language does', () => {
    const said: Sentence = sentence('limitsMet', {
      limits: [sentence('limitSale', { share: 0.125 }), sentence('limitPurchase', { share: 0.5 })],
    });
    // Locales put non-breaking spaces before signs.
    const inEach = (one: Sentence) =>
      LANGUAGES.map((language) => writeSentence(one, language).replaceAll(/\s/g, ' '));
    assert.deepEqual(inEach(said), [
      'What fails: a single sale of 12.5% of the pool; a single purchase of 50% of the pool.',
      'Не проходит: разовая продажа на 12,5 % пула; разовая покупка на 50 % пула.',
      'Lo que falla: una venta única del 12,5 % del pool; una compra única del 50 % del pool.',
      '以下操作会失败：单次卖出资金池的 12.5%；单次买入资金池的 50%。',
    ]);
    assert.deepEqual(inEach(sentence('saleGas', { gas: 2_500_000 })), [
      'The transfer of a sale uses 2,500,000 gas.',
      'Перевод при продаже расходует газа: 2 500 000.',
      'La transferencia de una venta consume 2.500.000 de gas.',
      '卖出时的转账消耗 2,500,000 燃料（gas）。',
    ]);
    assert.deepEqual(inEach(sentence('lacksFunctions', { functions: ['approve()', 'burn()'] })), [
      'The code lacks approve() and burn().',
      'В коде отсутствуют: approve() и burn().',
      'Al código le falta lo siguiente: approve() y burn().',
      '代码缺少 approve()和burn()。',
    ]);
  });

  it('take no placeholder out of what a contract says', () => {
    const hostile = sentence('revertsWith', { text: '{why:sentence} {text} $& $1' });
    assert.equal(
      writeSentence(sentence('sellFails', { why: hostile }), 'en'),
      'A bought token cannot be sold: it reverts with “{why:sentence} {text} $& $1”.',
    );
  });

  it('can be stored', () => {
    const said = sentence('sellFails', {
      why: sentence('byRouter', { why: sentence('panics', { code: '0x1' }) }),
    });
    const stored: unknown = JSON.parse(JSON.stringify(said));
    assert.deepEqual(sentenceSchema.parse(stored), said);
    assert.equal(
      sentenceSchema.safeParse({ code: 'sellFails', values: { why: null } }).success,
      false,
    );
  });
});

describe('forms of values', () => {
  it('are those of the language', () => {
    const each = (write: (formats: (typeof FORMATS)['en']) => string) =>
      LANGUAGES.map((language) => write(FORMATS[language]).replaceAll(/\s/g, ' '));
    assert.deepEqual(
      each(({ number }) => number(-1_234_567.891)),
      ['-1,234,567.89', '-1 234 567,89', '-1.234.567,89', '-1,234,567.89'],
    );
    assert.deepEqual(
      each(({ number }) => number(-0.001)),
      ['0', '0', '0', '0'],
    );
    assert.deepEqual(
      each(({ usd }) => usd(15_230.5)),
      ['$15,230.50', '15 230,50 $', '15.230,50 US$', 'US$15,230.50'],
    );
    const times = each(({ time }) => time(Date.UTC(2026, 10, 21, 5, 30, 9)));
    const dates = [
      /November 21, 2026/,
      /21 ноября 2026/,
      /21 de noviembre de 2026/,
      /2026年11月21日/,
    ];
    for (const [i, time] of times.entries()) {
      assert.match(time, dates[i] ?? /never/);
      assert.match(time, /05:30:09/);
      assert.match(time, /UTC/);
    }
  });
});
