import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readable } from '../../../shared/names/readable.ts';
import { type SignId, signsOf } from './nameSigns.ts';

describe('readable', () => {
  for (const [written, read] of [
    ['U\u0405D\u0421', 'usdc'],
    ['\u0421L\u0430\u0406M', 'claim'],
    ['\ua4ea\u13cf\ua4d4\u13df', 'wbtc'],
    ['\u2064U\ufeffS\u2061D\u200c', 'usd'],
    ['SWAP-SHIB\u02f3ORG', 'swap-shib.org'],
    ['\uff35\uff33\uff24\uff34', 'usdt'],
    ['  Myōbu \u00a0 Inu ', 'myobu inu'],
    ['\u5e01\u5b89', '\u5e01\u5b89'],
  ] as const) {
    it(`reads ${JSON.stringify(written)} as ${read}`, () => {
      assert.equal(readable(written), read);
    });
  }
});

describe('signsOf', () => {
  const found = (text: string): Partial<Record<SignId, string>> =>
    Object.fromEntries(signsOf('symbol', text).map(({ id, part }) => [id, part]));

  for (const [text, expected] of [
    [
      'Visit https://eth-tokens.us to claim Airdrop',
      {
        visit: 'visit',
        claim: 'claim',
        promise: 'airdrop',
        domain: 'eth-tokens.us',
        link: 'https://eth-tokens.us',
      },
    ],
    ['\u2705 SHIBA VOUCHER', { promise: 'voucher', eyeCatcher: '\u2705', emoji: '\u2705' }],
    ['ARB | t.me/s/claimarb', { claim: 'claimarb', shortLink: 't.me/s/claimarb', domain: 't.me' }],
    ['T \u0325ME/SHIBAFI', { shortLink: 't .me/shibafi', domain: 't .me' }],
    ['! 3000USDT.LOL', { eyeCatcher: '!', domain: '3000usdt.lol', money: '3000usdt' }],
    ['get $5,000 free', { promise: 'free', money: '$5,000' }],
    ['Telegram @vipTron8_bot', { contact: 'telegram @viptron8_bot' }],
    ['U\u0405D\u0421', { mixedScripts: 'U\u0405D\u0421' }],
    ['\ua4ea\u13cf\ua4d4\u13df', { mixedScripts: '\ua4ea\u13cf\ua4d4\u13df' }],
    ['DA\u2064I', { invisible: 'U+2064' }],
    ['US\u202eCD', { invisible: 'U+202E', rightToLeft: 'U+202E' }],
    // Honest names.
    ['USDC.e', {}],
    ['Curve.fi steth Gauge Deposit', { domain: 'curve.fi' }],
    ['deposit at x.top', { pay: 'deposit', domain: 'x.top' }],
    ['TIA.n', {}],
    ['$PEPE', {}],
    ['\u03bcBAYC', {}],
    ['LIQUIDCLAIMER', {}],
    ['\u5e01\u5b89\u4eba\u751f', {}],
    ['\u0420\u0443\u0431\u043b\u044c', {}],
    ['\u{1f469}\u200d\u{1f680} CREW', { eyeCatcher: '\u{1f469}', emoji: '\u{1f469}' }],
    ['', {}],
  ] as const) {
    it(`${JSON.stringify(text)}: ${Object.keys(expected).join(', ') || 'nothing'}`, () => {
      assert.deepEqual(found(text), expected);
    });
  }

  it('is done with a hostile text at once', () => {
    const started = performance.now();
    for (const text of ['a.'.repeat(50_000), 'a-'.repeat(50_000), '1,'.repeat(50_000)]) {
      signsOf('name', text.slice(0, 160));
    }
    assert.ok(performance.now() - started < 1_000);
  });
});
