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

describe('the token of an alert', () => {
  it('is called by its symbol, and by its address while it has none', () => {
    const token = { address: `0x${'ab'.repeat(20)}`, name: '0xabab…abab', symbol: '' } as const;
    assert.equal(formats.called(token), '0xabab…abab');
    assert.equal(formats.called({ ...token, name: 'Moon', symbol: 'M\u200bOON' }), 'M\ufffdOON');
    assert.equal(formats.called({ ...token, name: '' }), '(no name)');
  });

  it('leads to a wallet where an alert is about one alone', () => {
    const wallet = `0x${'ab'.repeat(20)}` as const;
    const token = { address: wallet, name: '', symbol: '' };
    assert.equal(formats.alertPath({ token, details: { wallet } }), `/wallet/${wallet}`);
    assert.equal(formats.alertPath({ token, details: {} }), `/token/${wallet}`);
  });
});

describe('the browser of a session', () => {
  const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
  const PHONE =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

  it('is named with its system', () => {
    assert.equal(formats.browser(`${LINUX} Chrome/150.0.0.0 Safari/537.36`), 'Chrome 150 on Linux');
    assert.equal(FORMATS.ru.browser(PHONE), 'Safari 18, iOS');
    assert.equal(FORMATS.zh.browser(PHONE), 'iOS 上的 Safari 18');
  });

  it('is what was sent where that names none, and never what turns the text', () => {
    assert.equal(formats.browser('curl/8.5.0'), 'curl/8.5.0');
    assert.equal(formats.browser(''), '(no name)');
    assert.equal(formats.browser('\u202eevil/1.0 (Linux)'), '\ufffdevil 1 on Linux');
    assert.equal(formats.browser(`${'x'.repeat(100)}/1.0 (Linux)`), `${'x'.repeat(32)}… on Linux`);
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

describe('numbers', () => {
  const SPACE = /[\u00a0\u202f]/g;
  const shown = (text: string): string => text.replace(SPACE, ' ');

  it('are written with the signs of the language', () => {
    assert.equal(FORMATS.en.whole(1_234_567), '1,234,567');
    assert.equal(shown(FORMATS.ru.whole(1_234_567)), '1 234 567');
    assert.equal(FORMATS.es.whole(1_234_567), '1.234.567');
    assert.equal(FORMATS.ru.signed(0.25), '+0,25');
    assert.equal(shown(FORMATS.es.price(0.001_5)), '0,0015 $');
    assert.equal(FORMATS.zh.compact(12_300), '1.2万');
    assert.equal(FORMATS.zh.price(0.083_96), '$0.08396');
    assert.equal(shown(FORMATS.ru.percent(0.964)), '96 %');
    assert.equal(FORMATS.en.percent(0.964), '96%');
  });

  it('show an amount below a cent as nothing', () => {
    assert.equal(FORMATS.en.dollars(0.009), '$0');
    assert.equal(FORMATS.en.dollars(1_230_000), '$1.2M');
  });
});
