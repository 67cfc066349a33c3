import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import { type TokenMarket, tokenLoss } from './tokenLoss.ts';

const [ALICE, BOB, PUPPET] = [address(1), address(2), address(3)];
const drain = { number: 9, txHash: hash(99), atS: 1 };
const market = (changes: Partial<TokenMarket> = {}): TokenMarket => ({
  token: address(8),
  traders: [
    { wallet: ALICE, paid: 2, received: 0.5 },
    { wallet: BOB, paid: 1, received: 3 },
    { wallet: PUPPET, paid: 4, received: 0 },
  ],
  peak: 10,
  drain,
  ...changes,
});
const isOfRing = (wallet: string): boolean => wallet === PUPPET;

describe('tokenLoss', () => {
  it('is what wallets outside the ring paid beyond what they got back', () => {
    const { stolenUsd, victims } = tokenLoss(market(), isOfRing, 2_000);
    assert.deepEqual([stolenUsd, victims], [3_000, 1]);
  });

  it('is nothing while the liquidity is there', () => {
    const { stolenUsd, victims } = tokenLoss(market({ drain: null }), isOfRing, 2_000);
    assert.deepEqual([stolenUsd, victims], [0, 0]);
  });

  it('is no more than the pool ever held', () => {
    assert.equal(tokenLoss(market({ peak: 1 }), isOfRing, 2_000).stolenUsd, 2_000);
  });
});
