import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeText } from './safeText.ts';

describe('safe text', () => {
  const cases: [string, string, string][] = [
    ['leaves honest names alone', 'Wrapped Ether 🦄 Ünïcödé', 'Wrapped Ether 🦄 Ünïcödé'],
    ['takes controls and escape sequences out', 'a\u0000b\u001b[31mc\u007f', 'a b [31mc'],
    ['takes line breaks and separators out', 'a\r\nb\u2028c\u2029d\u0085e', 'a b c d e'],
    ['takes marks of direction out', '\u202egnp.exe\u2066\u200f', 'gnp.exe'],
    ['takes invisible characters out', 'US\u200bD\u2060C\ufeff', 'US D C'],
    ['takes private and lone surrogate characters out', 'a\ue000b\ud800c', 'a b c'],
    ['is one line without doubled or outer spaces', '  a \t\t b  ', 'a b'],
    ['leaves markup to whoever shows it', '<b>x</b>', '<b>x</b>'],
    ['composes letters', 'e\u0301', 'é'],
    [
      'lets a letter carry three marks',
      `x${'\u0316'.repeat(3)}${'\u0301'.repeat(40)}y`,
      'x\u0316\u0316\u0316y',
    ],
    ['leaves no mark without a letter', '\u0301\u0300x \u20ddy', 'x y'],
    ['leaves vowels, tones and niqqud alone', 'น้ำ हिन्दी שָׁלוֹם ☠️', 'น้ำ हिन्दी שָׁלוֹם ☠️'],
    ['may be nothing', '\u0000\u200b', ''],
  ];
  for (const [what, text, wanted] of cases) {
    it(what, () => assert.equal(safeText(text, 100), wanted));
  }

  it('counts code points, not halves of them', () => {
    assert.equal(safeText('🦄🦄🦄', 2), '🦄🦄');
    assert.equal(safeText('x'.repeat(1_000_000), 128).length, 128);
  });
});
