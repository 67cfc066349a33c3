import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { COUNTERPARTY_AGE_S, Counterparties } from '../counterparties/counterparties.ts';
import {
  address,
  block,
  CHAIN_ID,
  hash,
  PROFILE,
  TOKEN,
  transfer,
  USD,
} from '../testing/chainBuilder.ts';
import { addressPoisoning } from './addressPoisoning.ts';
import type { Finding, TokenProfile } from './rule.ts';

const WALLET = address('victim');
const REAL: Hex = `0xabc${'1'.repeat(33)}4567`;
const FALSE: Hex = `0xabc${'2'.repeat(33)}4567`;
/** The first two and the last four characters are not enough. */
const OTHER: Hex = `0xab0${'2'.repeat(33)}4567`;
/** A dollar per whole unit, for the stablecoin and the native currency. */
const usdPerUnit = (token: Hex | null): number | null =>
  token === null || token === USD ? 1e-18 : null;

const paid = transfer('pay', USD, WALLET, REAL, 100);
const native = (from: Hex, to: Hex, coins: number): Fact => ({
  kind: 'nativeTransfer',
  from,
  to,
  value: `0x${BigInt(coins * 1e18).toString(16)}`,
  txHash: hash('native'),
  txIndex: 4,
});

const memoryOf = (follows: (wallet: Hex) => boolean = (wallet) => wallet === WALLET) =>
  new Counterparties(follows);
const findingsOf = (
  memory: Counterparties,
  facts: readonly Fact[],
  { number = 2, profile = PROFILE }: { number?: number; profile?: TokenProfile } = {},
): Finding[] => {
  const now = block(number, facts);
  const suspects = memory.apply(now, usdPerUnit);
  return addressPoisoning
    .find({ chainId: CHAIN_ID, block: now, pools: [], suspects, usdPerUnit: () => null })
    .flatMap((finding) => finding.withProfile?.(profile, 'wallet') ?? []);
};
/** Findings in a block after a payment of 100 dollars to the real address. */
const after = (facts: readonly Fact[], profile = PROFILE): Finding[] => {
  const memory = memoryOf();
  memory.apply(block(1, [paid]), usdPerUnit);
  return findingsOf(memory, facts, { profile });
};

/** A transfer from or to the victim. */
const sent = (token: Hex, to: Hex, amount: number) => transfer('x', token, WALLET, to, amount);
const got = (token: Hex, from: Hex, amount: number) => transfer('x', token, from, WALLET, amount);

const CASES: readonly (readonly [
  name: string,
  fact: Fact,
  moved?: string,
  profile?: Partial<TokenProfile>,
])[] = [
  ['nothing, sent in the wallet’s name', sent(USD, FALSE, 0), 'nothing'],
  ['nothing, sent to the wallet', got(TOKEN, FALSE, 0), 'nothing'],
  ['dust of a stable token', got(USD, FALSE, 0.01), 'dust'],
  ['dust of native currency', native(FALSE, WALLET, 0.0001), 'dust'],
  [
    'a token called like a known one',
    sent(TOKEN, FALSE, 100),
    'false_token',
    { name: 'Tether USD', symbol: 'USD\u0422' },
  ],
  ['one whose name is unread', sent(TOKEN, FALSE, 100), 'false_token', { name: '', symbol: '' }],
  ['another token', sent(TOKEN, FALSE, 100)],
  ['a payment of worth', sent(USD, FALSE, 5)],
  ['nothing, with the real one', sent(USD, REAL, 0)],
  ['dust, from the real one', got(USD, REAL, 0.01)],
  ['nothing, with an address that looks like no other', sent(USD, OTHER, 0)],
  ['nothing, between others', transfer('x', USD, REAL, FALSE, 0)],
  ['a payment to itself', sent(USD, WALLET, 0)],
];

describe('addressPoisoning', () => {
  for (const [name, fact, moved, profile] of CASES) {
    it(`${moved === undefined ? 'is silent about' : 'finds'} ${name}`, () => {
      const [finding, ...others] = after([fact], { ...PROFILE, ...profile });
      assert.deepEqual(others, []);
      assert.equal(finding?.details['moved'], moved);
    });
  }

  it('names both addresses, when the real one was dealt with, and the wallet alone', () => {
    const [finding] = after([transfer('x', USD, WALLET, FALSE, 0)]);
    assert.deepEqual(finding?.wallets, [WALLET]);
    assert.equal(finding?.details['look_alike'], FALSE);
    assert.equal(finding?.details['counterparty'], REAL);
    assert.equal(finding?.details['counterparty_last_seen'], block(1).timestampS);
    assert.equal(finding?.details['direction'], 'out');
  });

  it('is for items of the wallet, not of the token that was used', () => {
    const memory = memoryOf();
    const now = block(1, [paid, transfer('x', USD, WALLET, FALSE, 0)]);
    const suspects = memory.apply(now, usdPerUnit);
    const view = { chainId: CHAIN_ID, block: now, pools: [], suspects, usdPerUnit: () => null };
    const [finding] = addressPoisoning.find(view);
    assert.equal(finding?.withProfile?.(PROFILE, 'token'), null);
    assert.ok(finding?.withProfile?.(PROFILE, 'wallet'));
  });

  it('distinguishes two native payments of a block, and a log', () => {
    const found = after([
      transfer('x', USD, WALLET, FALSE, 0),
      native(FALSE, WALLET, 0.0001),
      { ...native(FALSE, WALLET, 0.0002), txIndex: 5 } as Fact,
    ]);
    assert.equal(new Set(found.map(({ logIndex }) => logIndex)).size, 3);
  });

  it('knows a counterparty within the same block, and for 30 days', () => {
    assert.equal(findingsOf(memoryOf(), [paid, transfer('x', USD, WALLET, FALSE, 0)]).length, 1);
    const seenAt = (lastSeenS: number): number => {
      const memory = memoryOf();
      memory.learn(
        [WALLET],
        [{ wallet: WALLET, other: REAL, token: USD, largest: 5e18, lastSeenS }],
        usdPerUnit,
      );
      return findingsOf(memory, [transfer('x', USD, WALLET, FALSE, 0)]).length;
    };
    assert.equal(seenAt(block(2).timestampS - COUNTERPARTY_AGE_S), 1);
    assert.equal(seenAt(block(2).timestampS - COUNTERPARTY_AGE_S - 1), 0);
  });

  it('makes no counterparty of whom only dust came from, before a start or after', () => {
    const dust = { wallet: WALLET, other: FALSE, token: USD, largest: 1e16, lastSeenS: 1 };
    const memory = memoryOf();
    memory.learn([WALLET], [dust], usdPerUnit);
    memory.apply(block(1, [transfer('x', USD, FALSE, WALLET, 0.01)]), usdPerUnit);
    assert.deepEqual(findingsOf(memory, [transfer('y', USD, REAL, WALLET, 0)]), []);
  });

  it('takes back with a reorg what only orphaned blocks showed', () => {
    const memory = memoryOf();
    memory.apply(block(5, [paid]), usdPerUnit);
    memory.rollBack(4);
    assert.deepEqual(findingsOf(memory, [transfer('x', USD, WALLET, FALSE, 0)]), []);
  });

  it('asks for each wallet once, and for none that is not watched', () => {
    const memory = memoryOf();
    const facts = [paid, transfer('x', USD, REAL, OTHER, 1)];
    assert.deepEqual(memory.unknown(facts), [WALLET]);
    memory.learn([WALLET], [], usdPerUnit);
    assert.deepEqual(memory.unknown(facts), []);
    assert.deepEqual(memoryOf(() => false).unknown(facts), []);
  });

  it('forgets whoever moved least recently where a wallet has too many counterparties', () => {
    const memory = memoryOf();
    memory.apply(block(1, [paid]), usdPerUnit);
    const others = Array.from({ length: 100 }, (_, i) => address(`other${i}`));
    const payments = others.map((to) => transfer('p', USD, WALLET, to, 2));
    memory.apply(block(2, payments.slice(0, 99)), usdPerUnit);
    const poison = [transfer('x', USD, WALLET, FALSE, 0)];
    assert.equal(findingsOf(memory, poison).length, 1);
    memory.apply(block(3, payments.slice(99)), usdPerUnit);
    assert.deepEqual(findingsOf(memory, poison), []);
  });
});
