import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { word } from '../../../shared/testing/evmData.ts';
import { type ContractAnswers, confirmToken } from './confirmToken.ts';

const bytes32 = (text: string): string => `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
const SELECTORS = 'a9059cbb70a08231095ea7b3';
const PROXY =
  '0x363d3d373d3d3d363d73bebebebebebebebebebebebebebebebebebebebe5af43d82803e903d91602b57fd5bf3';

const answers = (some: Partial<ContractAnswers>): ContractAnswers => ({
  code: '0x6001',
  name: undefined,
  symbol: undefined,
  decimals: undefined,
  totalSupply: undefined,
  acts: false,
  ...some,
});
const kindOf = (some: Partial<ContractAnswers>): string => confirmToken(answers(some)).kind;

describe('a contract', () => {
  it('that answers decimals beside a name, a symbol or a supply is a token', () => {
    const decimals = `0x${word(18)}`;
    assert.equal(kindOf({ decimals, name: bytes32('N') }), 'token');
    assert.equal(kindOf({ decimals, symbol: bytes32('S') }), 'token');
    assert.equal(kindOf({ decimals, totalSupply: `0x${word(1)}` }), 'token');
    assert.equal(kindOf({ decimals }), 'notAToken');
  });

  it('is called what it answers in 32 bytes, without the zeros behind', () => {
    const confirmed = confirmToken(answers({ decimals: `0x${word(18)}`, name: bytes32('MKR') }));
    assert.equal(confirmed.kind === 'token' && confirmed.profile.name, 'MKR');
  });

  it('has decimals up to 255', () => {
    assert.equal(kindOf({ decimals: `0x${word(255)}`, name: bytes32('N') }), 'token');
    assert.equal(kindOf({ decimals: `0x${word(256)}`, name: bytes32('N') }), 'notAToken');
  });

  it('without decimals is none by its answers: so is an ERC-721', () => {
    assert.equal(kindOf({ name: bytes32('N'), symbol: bytes32('S') }), 'notAToken');
  });

  it('that acts and holds the selectors of ERC-20 is a token', () => {
    assert.equal(kindOf({ code: `0x60${SELECTORS}`, acts: true }), 'token');
    assert.equal(kindOf({ code: `0x60${SELECTORS}`, acts: false }), 'notAToken');
    assert.equal(kindOf({ code: '0x60a9059cbb', acts: true }), 'notAToken');
  });

  it('that acts and hands its calls on is a token', () => {
    assert.equal(kindOf({ code: PROXY, acts: true }), 'token');
    assert.equal(kindOf({ code: PROXY, acts: false }), 'notAToken');
  });

  it('with the byte of DELEGATECALL only in data hands nothing on', () => {
    assert.equal(kindOf({ code: '0x60f400', acts: true }), 'notAToken');
    assert.equal(kindOf({ code: `0x7f${'f4'.repeat(32)}00`, acts: true }), 'notAToken');
    assert.equal(kindOf({ code: `0x${'00'.repeat(6_000)}f4`, acts: true }), 'notAToken');
  });

  it('without code and answers is none', () => {
    assert.equal(kindOf({ code: '0x', acts: true }), 'notAContract');
    assert.equal(kindOf({ code: undefined }), 'notAContract');
  });

  it('is described by safe and bounded text', () => {
    const long = 'x'.repeat(1_000);
    const abi = `0x${word(32)}${word(long.length)}${Buffer.from(long).toString('hex')}`;
    const confirmed = confirmToken(
      answers({ decimals: `0x${word(6)}`, name: abi, symbol: abi, totalSupply: `0x${word(255)}` }),
    );
    assert.deepEqual(confirmed, {
      kind: 'token',
      profile: {
        name: 'x'.repeat(128),
        symbol: 'x'.repeat(64),
        decimals: 6,
        totalSupply: '0xff',
        confirmedBy: 'calls',
      },
    });
  });

  it('that answers nonsense has no name, and is confirmed by its code', () => {
    const code = `0x${SELECTORS}` as const;
    const confirmed = confirmToken(answers({ code, acts: true, name: '0x12', decimals: '0x' }));
    assert.deepEqual(confirmed.kind === 'token' && confirmed.profile, {
      name: '',
      symbol: '',
      decimals: undefined,
      totalSupply: undefined,
      confirmedBy: 'code',
    });
  });
});
