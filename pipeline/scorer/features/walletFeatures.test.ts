import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_S } from '../../../shared/platform/durations.ts';
import {
  agedHolders,
  TOKEN_TRANSFERS_MAX,
  type TokenTransfer,
  type WalletSeries,
  walletFeatures,
} from './walletFeatures.ts';

const ZERO = '0x0000000000000000000000000000000000000000';
const DEAD = '0x000000000000000000000000000000000000dead';
const LOCKER = '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214';
const [POOL, TOKEN, MAKER, ANN, BOB, CAT] = ['0xp', '0xt', '0xm', '0xa', '0xb', '0xc'] as const;
const FIRST_SYNC_S = 10_000_000;

const move = (from: string, to: string, value: bigint, afterS = 0): TokenTransfer => ({
  timestampS: FIRST_SYNC_S + afterS,
  from,
  to,
  value,
});

const seriesOf = (transfers: readonly TokenTransfer[] | undefined): WalletSeries => ({
  createdS: FIRST_SYNC_S,
  creator: MAKER,
  transfers,
  notWallets: new Set([POOL, TOKEN]),
  fundings: undefined,
  fundingsSinceS: Number.POSITIVE_INFINITY,
});

describe('walletFeatures', () => {
  it('counts wallets alone and takes shares of what is not burned', () => {
    const series = seriesOf([
      move(ZERO, MAKER, 1_000n),
      move(MAKER, POOL, 500n),
      move(MAKER, DEAD, 200n),
      move(MAKER, LOCKER, 100n),
      move(POOL, ANN, 50n),
      move(ANN, TOKEN, 10n),
    ]);
    const features = walletFeatures(series, FIRST_SYNC_S);
    assert.equal(features.holderCount, 2);
    assert.equal(features.holderTopTenShare, (200 + 40) / 800);
    assert.equal(features.holderHerfindahl, (200 ** 2 + 40 ** 2) / 240 ** 2);
  });

  it('looks no further than the time asked for', () => {
    const series = seriesOf([move(ZERO, MAKER, 100n), move(MAKER, ANN, 40n, 60)]);
    assert.equal(walletFeatures(series, FIRST_SYNC_S + 59).holderCount, 1);
    assert.equal(walletFeatures(series, FIRST_SYNC_S + 60).holderCount, 2);
    assert.deepEqual(walletFeatures(series, FIRST_SYNC_S - 1), {});
  });

  it('measures how many pairs of neighbours know each other', () => {
    const triangle = [move(MAKER, ANN, 1n), move(ANN, BOB, 1n), move(BOB, MAKER, 1n)];
    const all = [move(ZERO, MAKER, 100n), ...triangle];
    assert.equal(walletFeatures(seriesOf(all), FIRST_SYNC_S).holderClustering, 1);
    const tail = [...all, move(MAKER, CAT, 1n)];
    assert.equal(walletFeatures(seriesOf(tail), FIRST_SYNC_S).holderClustering, 3 / 5);
    const star = [move(ZERO, MAKER, 9n), move(MAKER, ANN, 1n), move(MAKER, BOB, 1n)];
    assert.equal(walletFeatures(seriesOf(star), FIRST_SYNC_S).holderClustering, 0);
    assert.ok(!('holderClustering' in walletFeatures(seriesOf(star.slice(0, 2)), FIRST_SYNC_S)));
  });

  it('says nothing where transfers are unknown or too many', () => {
    assert.deepEqual(walletFeatures(seriesOf(undefined), FIRST_SYNC_S), {});
    const many = Array.from({ length: TOKEN_TRANSFERS_MAX + 1 }, (_, i) =>
      move(ZERO, MAKER, 1n, i),
    );
    assert.deepEqual(walletFeatures(seriesOf(many), FIRST_SYNC_S + DAY_S), {});
    assert.equal(walletFeatures(seriesOf(many), FIRST_SYNC_S).holderCount, 1);
  });

  it('calls a wallet fresh that was funded within the day before, where the record is long enough', () => {
    const series = seriesOf([
      move(ZERO, MAKER, 90n),
      move(MAKER, ANN, 30n),
      move(MAKER, BOB, 20n),
      move(MAKER, CAT, 10n),
    ]);
    const fundings = new Map([
      [ANN, { atS: FIRST_SYNC_S - DAY_S, byCreator: false }],
      [BOB, { atS: FIRST_SYNC_S - DAY_S - 1, byCreator: false }],
      [CAT, { atS: FIRST_SYNC_S + 1, byCreator: false }],
    ]);
    const known = { ...series, fundings, fundingsSinceS: FIRST_SYNC_S - 7 * DAY_S };
    assert.equal(walletFeatures(known, FIRST_SYNC_S).holderFreshShare, 1 / 2);
    const short = { ...known, fundingsSinceS: FIRST_SYNC_S - 7 * DAY_S + 1 };
    assert.ok(!('holderFreshShare' in walletFeatures(short, FIRST_SYNC_S)));
    assert.deepEqual(agedHolders(series, FIRST_SYNC_S), [ANN, MAKER, BOB, CAT]);
  });

  it('shows how old the creator is and whether a creator funded it', () => {
    const fundings = new Map([[MAKER, { atS: FIRST_SYNC_S - 500, byCreator: true }]]);
    const series = { ...seriesOf(undefined), fundings, fundingsSinceS: 0 };
    const expected = { creatorAgeS: 500, creatorFundedByCreator: 1 };
    assert.deepEqual(walletFeatures(series, FIRST_SYNC_S), expected);
    assert.deepEqual(walletFeatures({ ...series, creator: undefined }, FIRST_SYNC_S), {});
  });
});
