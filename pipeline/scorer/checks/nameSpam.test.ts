import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInputOf } from '../testing/checkInputOf.ts';
import { checkOf } from './checkResult.ts';
import { nameSpam, nameSpamCheck } from './nameSpam.ts';

const USDT = '0xdac17f958d2ee523a2206206994597c13d831ec7' as const;

describe('nameSpam', () => {
  for (const [what, change, expected] of [
    ['an honest name', { name: 'Honest Hen', symbol: 'HEN' }, ['pass', 'warning']],
    [
      'an invitation',
      { name: '! 5eth.vip', symbol: 'Visit https://5eth.vip to claim Airdrop' },
      ['fail', 'warning'],
    ],
    [
      'an invitation in other letters',
      { name: '\u2705USD\u0421', symbol: '\u0421l\u0430im on: t \u0325me/usdc' },
      ['fail', 'warning'],
    ],
    [
      'a disguise that asks for nothing',
      { name: 'US\u0414C', symbol: 'US\u0414\u0421' },
      ['fail', 'info'],
    ],
    ['no name at all', { name: '', symbol: '' }, ['not_applicable', 'warning']],
    [
      'the listed token',
      { chainId: 1, token: USDT, name: 'Visit x.com', symbol: 'claim' },
      ['pass', 'warning'],
    ],
  ] as const) {
    it(`${what}: ${expected.join(', ')}`, () => {
      const { status, severity } = nameSpam(checkInputOf(change));
      assert.deepEqual([status, severity], expected);
    });
  }

  it('says what it asks and where it leads, and shows the part by a call anyone can repeat', () => {
    const name = '! 5eth.vip';
    const symbol = 'Visit https://5eth.vip to claim Airdrop';
    const [found] = nameSpamCheck.run(checkInputOf({ name, symbol })).map(checkOf);
    assert(found);
    const { reason, evidence = [] } = found;
    assert.equal(reason, 'The name is an invitation: it says “visit” and leads to “5eth.vip”.');
    assert.deepEqual(
      evidence.map(({ note }) => note),
      [`“visit”: symbol() answers ${symbol}`, `“5eth.vip”: name() answers ${name}`],
    );
    assert.ok(evidence.every(({ request }) => request?.method === 'eth_call'));
  });
});
