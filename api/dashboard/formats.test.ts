import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FORMATS } from './formats.ts';

const formats = FORMATS.en;

describe('what others wrote, on a page', () => {
  it('holds nothing that turns the text or is not seen', () => {
    assert.equal(formats.foreign('USD\u200bT'), 'USD\ufffdT');
    assert.equal(formats.foreign('\u202etxt.exe'), '\ufffdtxt.exe');
    assert.equal(formats.foreign('a\nb\u0000c'), 'a\ufffdb\ufffdc');
    assert.equal(formats.foreign('Ünïcode 币'), 'Ünïcode 币');
  });

  it('is never longer than asked for, and never empty', () => {
    assert.equal(formats.foreign('x'.repeat(100), 10), `${'x'.repeat(10)}…`);
    assert.equal(formats.foreign('💎'.repeat(11), 10), `${'💎'.repeat(10)}…`);
    assert.equal(formats.foreign('  '), '(no name)');
    assert.equal(formats.foreign(''), '(no name)');
  });
});

describe('names of features and checks', () => {
  it('are written as words', () => {
    assert.equal(formats.words('check:liquidity_drained'), 'liquidity drained');
    assert.equal(formats.words('creatorDrainedShare'), 'creator drained share');
    assert.equal(formats.words('SELL_IMMEDIATELY'), 'SELL IMMEDIATELY');
  });
});

describe('times', () => {
  it('are shown in the largest unit that fits', () => {
    assert.equal(formats.ago(0, 59_000), '59 s ago');
    assert.equal(formats.ago(0, 3_600_000), '1 h ago');
    assert.equal(formats.ago(0, 200_000_000), '2 d ago');
    assert.equal(formats.ago(5, 0), 'now');
    assert.equal(FORMATS.zh.ago(0, 3_600_000), '1 小时前');
    assert.equal(FORMATS.es.ago(0, 59_000), 'hace 59 s');
    assert.equal(FORMATS.ru.span(200_000_000), '2 дн.');
  });
});
