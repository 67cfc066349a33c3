import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FORMATS } from './formats.ts';
import { LANGUAGES, type Language } from './language.ts';
import { type Sentence, type SentenceCode, sentence, sentenceSchema } from './sentence.ts';
import { TEMPLATES, writeSentence } from './writeSentence.ts';

const CODES = Object.keys(TEMPLATES.en) as SentenceCode[];
const OTHERS = LANGUAGES.filter((language) => language !== 'en');
/** Names that every language writes alike. */
const TERMS = /Uniswap V2|\b(?:eth_simulateV1|ERC-20|Transfer|Sync|shap_values|gas)\b/g;
const LETTERS: Partial<Record<Language, RegExp>> = {
  ru: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
};

const placeholdersOf = (template: string): string[] =>
  (template.match(/\{[^}]*\}/g) ?? []).toSorted();

describe('sentences of checks', () => {
  it('take the same values in every language', () => {
    for (const code of CODES) {
      const expected = placeholdersOf(TEMPLATES.en[code]);
      for (const language of OTHERS) {
        assert.deepEqual(
          placeholdersOf(TEMPLATES[language][code]),
          expected,
          `${language} ${code}`,
        );
      }
    }
  });

  it('are written in the language, but for names', () => {
    for (const code of CODES) {
      // Nothing but text that is the same everywhere, and shares that stand alone.
      if (code === 'verbatim') continue;
      for (const language of OTHERS) {
        const template = TEMPLATES[language][code];
        assert.notEqual(template, TEMPLATES.en[code], `${language} ${code}`);
        const letters = LETTERS[language];
        if (!letters) continue;
        const own = template.replaceAll(/\{[^}]*\}/g, '').replaceAll(TERMS, '');
        assert.match(own, letters, `${language} ${code}`);
        assert.doesNotMatch(own, /[A-Za-z]/, `${language} ${code}`);
      }
    }
  });

  it('write numbers, shares, lists and other sentences as the language does', () => {
    const said: Sentence = sentence('limitsMet', {
      limits: [sentence('limitSale', { share: 0.125 }), sentence('limitPurchase', { share: 0.5 })],
    });
    // Locales put spaces that do not break before signs.
    const inEach = (one: Sentence) =>
      LANGUAGES.map((language) => writeSentence(one, language).replaceAll(/\s/g, ' '));
    assert.deepEqual(inEach(said), [
      'What fails: a sale at once of 12.5% of the pool; a purchase at once of 50% of the pool.',
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
