import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Hex } from '../../shared/chain/block.ts';
import { type Range, WALLET_SORTS, type WalletFilter, type WalletPage } from '../search/search.ts';
import { openWallets } from './openWallets.ts';
import type { IndexedWallet } from './walletColumns.ts';

const WALLETS = 30;
/** Some differ in their first digits, some in their last, some in between. */
const addressOf = (number: number): Hex => {
  const digits = ((number * 7) % 251).toString(16).padStart(2, '0');
  const place = [0, 19, 38][number % 3] ?? 0;
  return `0x${'0'.repeat(place)}${digits}${'0'.repeat(38 - place)}`;
};
const ROLES = ['creator', 'holder', 'unknown'];
const RINGS = ['', 'cl_1', 'cl_2'];
/** Values that need all digits of a float. */
const AMOUNTS = [0, 0.1 + 0.2, 1e-300, 7, 1e12];
const RISKS = [0, 0.1 + 0.2, 49.999999999999, 50, 100];
const BORN_S = 1_700_000_000;

const wallet: fc.Arbitrary<IndexedWallet> = fc.record({
  address: fc.nat(WALLETS).map(addressOf),
  role: fc.constantFrom(...ROLES),
  isKnownScammer: fc.nat(1),
  riskScore: fc.constantFrom(...RISKS),
  tokensCreated: fc.nat(3),
  scams: fc.nat(3),
  stolenUsd: fc.constantFrom(...AMOUNTS),
  clusterId: fc.constantFrom(...RINGS),
  firstSeenS: fc.constantFrom(0, BORN_S, BORN_S + 1, 4_294_967_295),
});

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const range = (...values: number[]): fc.Arbitrary<Range | undefined> =>
  optional(
    fc.record(
      { min: fc.constantFrom(...values), max: fc.constantFrom(...values) },
      { requiredKeys: [] },
    ),
  );
const filter: fc.Arbitrary<WalletFilter> = fc.record({
  riskScore: range(...RISKS),
  roles: optional(fc.subarray(ROLES)),
  clusterId: optional(fc.constantFrom(...RINGS, 'cl_9')),
  tokensCreated: range(0, 1, 2),
  scamRate: range(0, 1 / 3, 0.5, 1),
  stolenUsd: range(...AMOUNTS),
  isKnownScammer: optional(fc.boolean()),
});
const page: fc.Arbitrary<WalletPage> = fc
  .record({
    // Few rows match many conditions.
    filter: fc.oneof(fc.constant<WalletFilter>({}), filter),
    sort: fc.constantFrom(...WALLET_SORTS),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 1, max: 8 }),
    offset: fc.nat(12),
  })
  .map(({ filter: only, ...rest }) => ({ ...only, ...rest }));

const isWithin = (value: number, { min = value, max = value }: Range = {}): boolean =>
  value >= min && value <= max;

const matches = (one: IndexedWallet, asked: WalletFilter): boolean =>
  isWithin(one.riskScore, asked.riskScore) &&
  (asked.roles?.includes(one.role) ?? true) &&
  (asked.clusterId ?? one.clusterId) === one.clusterId &&
  isWithin(one.tokensCreated, asked.tokensCreated) &&
  isWithin(one.tokensCreated === 0 ? 0 : one.scams / one.tokensCreated, asked.scamRate) &&
  isWithin(one.stolenUsd, asked.stolenUsd) &&
  (asked.isKnownScammer === undefined || asked.isKnownScammer === (one.isKnownScammer === 1));

const VALUES: Record<WalletPage['sort'], (one: IndexedWallet) => number> = {
  created_at: ({ firstSeenS }) => firstSeenS,
  risk_score: ({ riskScore }) => riskScore,
  tokens_created: ({ tokensCreated }) => tokensCreated,
  total_stolen: ({ stolenUsd }) => stolenUsd,
};

/** The result of a plain filter and sort. */
const expectedOf = (all: readonly IndexedWallet[], asked: WalletPage) => {
  const valueOf = VALUES[asked.sort];
  const sign = asked.order === 'asc' ? 1 : -1;
  const found = all
    .filter((one) => matches(one, asked))
    .toSorted((a, b) => sign * (valueOf(a) - valueOf(b) || (a.address < b.address ? -1 : 1)));
  const shown = found.slice(asked.offset, asked.offset + asked.limit);
  return {
    wallets: shown.map(({ address, role, riskScore }) => ({ address, role, riskScore })),
    total: found.length,
  };
};

describe('the index of wallets', () => {
  it('answers as a plain filter and sort do, whatever was loaded, changed and asked', () => {
    const loaded = fc.uniqueArray(wallet, { selector: ({ address }) => address, maxLength: 25 });
    const changed = fc.array(fc.record({ wallet, isGone: fc.boolean() }), { maxLength: 25 });
    const asked = fc.array(page, { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(loaded, changed, asked, (wallets, changes, pages) => {
        const index = openWallets();
        const inForce = new Map(wallets.map((one) => [one.address, one]));
        index.reserve(wallets.length);
        index.load(wallets.toSorted((a, b) => (a.address < b.address ? -1 : 1)));
        index.seal();
        for (const [at, { wallet: one, isGone }] of changes.entries()) {
          index.change([{ address: one.address, wallet: isGone ? undefined : one }]);
          if (isGone) inForce.delete(one.address);
          else inForce.set(one.address, one);
          const some = pages[at % pages.length];
          const expected = some && expectedOf([...inForce.values()], some);
          assert.deepEqual(some && JSON.parse(index.page(some)), expected);
        }
        for (const some of pages) {
          assert.deepEqual(JSON.parse(index.page(some)), expectedOf([...inForce.values()], some));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes wallets in the order of their addresses only', () => {
    const index = openWallets();
    const [first, second] = fc.sample(wallet, { numRuns: 2, seed: 1 });
    assert.ok(first && second);
    index.load([{ ...first, address: addressOf(0) }]);
    assert.throws(() => index.load([{ ...second, address: addressOf(0) }]), /is loaded after/);
  });
});
