import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { knownFunction } from './knownFunctions.ts';
import {
  codeFunctions,
  enteringCalls,
  forwardingCalls,
  type ProbeCast,
  probeCalls,
  standardCalls,
} from './probeCalls.ts';

/** Dispatches on two selectors, as compilers do, and stops: `transfer` and an unknown one. */
const CODE: Hex = `0x60003560e01c8063a9059cbb14601f578063deadbeef14602157600080fd5b005b00`;

describe('codeFunctions', () => {
  it('finds the selectors that the dispatcher compares with', () => {
    assert.deepEqual(
      codeFunctions(CODE)
        .map(({ selector }) => selector)
        .toSorted(),
      ['0xa9059cbb', '0xdeadbeef'],
    );
  });

  it('finds nothing in code that has no functions, or is none', () => {
    for (const code of ['0x', '0x00', '0xfefefe', `0x${'5b'.repeat(200)}`] as const) {
      assert.deepEqual(codeFunctions(code), []);
    }
  });
});

describe('knownFunction', () => {
  it('names what is common, and nothing else', () => {
    assert.deepEqual(knownFunction('0xa9059cbb'), {
      signature: 'transfer(address,uint256)',
      role: 'erc20',
    });
    assert.equal(knownFunction('0x40c10f19')?.role, 'mint');
    assert.equal(knownFunction('0x8456cb59')?.role, 'pause');
    assert.equal(knownFunction('0xdeadbeef'), undefined);
  });
});

const CAST: ProbeCast = {
  caller: `0x${'c'.repeat(40)}`,
  victim: `0x${'a'.repeat(40)}`,
  stranger: `0x${'b'.repeat(40)}`,
  supply: 1_000_000n,
  held: 777n,
};
const callsOf = (types: string, selector: `0x${string}` = '0xdeadbeef', writes = true) =>
  probeCalls([{ selector, arguments: types, writes }], CAST).map(({ data }) => data);
const word = (digits: string): string => digits.padStart(64, '0');

describe('probeCalls', () => {
  it('takes the elements of a list for accounts too, where the code does not look at them', () => {
    const calls = callsOf('uint256[],uint256');
    const listed = (digits: string) =>
      calls.filter((data) => data.includes(`${word('1')}${word(digits)}`));
    assert.ok(listed('a'.repeat(40)).length > 0);
    assert.ok(listed((777).toString(16)).length > 0);
  });

  it('gives a whole supply to someone new, and takes what a buyer holds', () => {
    const calls = callsOf('address,uint256');
    const supply = word(CAST.supply.toString(16));
    assert.ok(calls.includes(`0xdeadbeef${word(CAST.stranger.slice(2))}${supply}`));
    assert.ok(calls.includes(`0xdeadbeef${word(CAST.victim.slice(2))}${word('309')}`));
  });

  it('sends a buyer next to nothing where that may close its sales', () => {
    const transfer = {
      selector: '0xa9059cbb',
      arguments: 'address,uint256',
      writes: true,
    } as const;
    const gift = `0xa9059cbb${word(CAST.victim.slice(2))}${word('1')}`;
    const [without, gives] = [CAST, { ...CAST, gives: true }].map((cast) =>
      probeCalls([transfer], cast).map(({ data }) => data),
    );
    assert.equal(without?.includes(gift as Hex), false);
    assert.equal(gives?.includes(gift as Hex), true);
  });

  it('tries flags both ways, and no call twice', () => {
    assert.deepEqual(callsOf('bool').toSorted(), [
      `0xdeadbeef${word('0')}`,
      `0xdeadbeef${word('1')}`,
    ]);
    assert.deepEqual(callsOf(''), ['0xdeadbeef']);
  });

  it('names the buyer first where a function takes two addresses', () => {
    const both = `${word(CAST.victim.slice(2))}${word(CAST.stranger.slice(2))}`;
    assert.ok(callsOf('address,address,uint256').includes(`0xdeadbeef${both}${word('309')}`));
  });

  it('enters the caller itself in lists, where a function takes an account', () => {
    const entered = (types: string, writes = true) =>
      enteringCalls([{ selector: '0xdeadbeef', arguments: types, writes }], CAST);
    const data = `0xdeadbeef${word(CAST.caller.slice(2))}${word('1')}`;
    assert.deepEqual(entered('address,bool'), [{ selector: '0xdeadbeef', data }]);
    const others = [entered('uint256'), entered('(address)'), entered('address', false)];
    assert.deepEqual(others, [[], [], []]);
  });

  it('calls standard functions on a buyer and on someone new, but none that moves tokens', () => {
    const named = (signature: string) => ({
      selector: selectorOf(signature),
      arguments: 'address,uint256',
      writes: true,
    });
    const [approve, transfer] = [
      named('approve(address,uint256)'),
      named('transfer(address,uint256)'),
    ];
    const calls = standardCalls([approve, transfer, named('setFee(uint256)')], CAST);
    const accounts = calls.map(({ data }) => data.slice(0, 74));
    assert.deepEqual(
      accounts.toSorted(),
      [CAST.victim, CAST.stranger].map((one) => `${approve.selector}${word(one.slice(2))}`),
    );
    // What a purchase may have silently approved.
    const take = {
      ...named('transferFrom(address,address,uint256)'),
      arguments: 'address,address,uint256',
    };
    const [from, to, held] = [CAST.victim.slice(2), CAST.stranger.slice(2), CAST.held.toString(16)];
    const taken = `${take.selector}${word(from)}${word(to)}${word(held)}`;
    assert.ok(standardCalls([take], CAST).some(({ data }) => data === taken));
  });

  it('fits numbers to their type', () => {
    assert.ok(callsOf('uint8').includes(`0xdeadbeef${word('ff')}`));
  });

  it('leaves alone what reads, what is standard, what moves the ownership, and what it cannot fill', () => {
    assert.deepEqual(callsOf('uint256', '0xdeadbeef', false), []);
    for (const signature of ['approve(address,uint256)', 'renounceOwnership()', 'owner()']) {
      assert.deepEqual(callsOf('', selectorOf(signature)), []);
    }
    assert.deepEqual(callsOf('(address,uint256)'), []);
    assert.deepEqual(callsOf('nonsense'), []);
    assert.deepEqual(callsOf(Array.from({ length: 13 }, () => 'uint256').join(',')), []);
  });

  it('gives away what nobody has, takes what is others’, and permits it unsigned, by standard functions', () => {
    const supply = word(CAST.supply.toString(16));
    const [victim, stranger] = [word(CAST.victim.slice(2)), word(CAST.stranger.slice(2))];
    const transfer = selectorOf('transfer(address,uint256)');
    const own = word(CAST.caller.slice(2));
    assert.deepEqual(callsOf('nonsense', transfer), [
      `${transfer}${stranger}${supply}`,
      `${transfer}${own}${supply}`,
    ]);
    const from = selectorOf('transferFrom(address,address,uint256)');
    assert.deepEqual(callsOf('', from), [`${from}${victim}${stranger}${word('309')}`]);
    const permit = selectorOf('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)');
    const [unsigned] = callsOf('', permit);
    assert.ok(unsigned?.startsWith(`${permit}${victim}${stranger}`));
    assert.ok(unsigned?.endsWith(`${word('ff')}${word('')}${word('')}`));
  });

  it('bounds what is tried, functions without a name first', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      selector: `0x${(i + 1).toString(16).padStart(8, '0')}` as const,
      arguments: '',
      writes: true,
    }));
    const named = { selector: selectorOf('pause()'), arguments: '', writes: true };
    assert.equal(probeCalls([named, ...many], CAST).length, 24);
    assert.equal(probeCalls([named, ...many.slice(0, 3)], CAST).at(-1)?.data, named.selector);
  });
});

describe('calls of contracts beside the token', () => {
  it('name the token, and a buyer of it', () => {
    const one = {
      selector: '0xdeadbeef',
      arguments: 'address,address,uint256',
      writes: true,
    } as const;
    const token: Hex = `0x${'d'.repeat(40)}`;
    const calls = probeCalls([one], { ...CAST, token }).map(({ data }) => data);
    const [asked, victim] = [token, CAST.victim].map((account) => word(account.slice(2)));
    assert.ok(calls.includes(`0xdeadbeef${asked}${victim}${word('309')}`));
    const own = probeCalls([one], CAST).map(({ data }) => data);
    assert.ok(own.every((data) => !data.includes(token.slice(2))));
  });

  it('make a contract call the token, by functions that take an address and data', () => {
    const functions = [
      ['0x00000001', 'address,uint256,bytes,bytes32,bytes32', true],
      ['0x00000002', 'address[],uint256[],bytes[]', true],
      ['0x00000003', 'address,uint256', true],
      ['0x00000004', 'address,bytes', false],
      ['0x00000005', 'address,bytes,(uint256)', true],
    ] as const;
    const calls = forwardingCalls(
      functions.map(([selector, types, writes]) => ({ selector, arguments: types, writes })),
      CAST.victim,
      '0xc0ffee',
    );
    assert.deepEqual(
      calls.map(({ selector }) => selector),
      ['0x00000001', '0x00000002'],
    );
    for (const { data } of calls) {
      assert.ok(data.includes(word(CAST.victim.slice(2))));
      assert.ok(data.includes('c0ffee'));
    }
  });
});
