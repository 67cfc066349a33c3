import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import fc from 'fast-check';
import type { Hex } from '../../shared/chain/block.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import type { Traits } from '../search/search.ts';
import {
  sortValue,
  VERDICT_SORTS,
  type VerdictFilter,
  type VerdictPage,
} from '../tokens/verdictPage.ts';
import { type IndexedVerdict, openIndex } from './openIndex.ts';

/** Several blocks of each order, and more than are looked at before another way is asked for. */
const TOKENS = 12_000;
const CHANGES = 60;
const BORN_S = 1_600_000_000;
const CREATORS = 3;
/** Checks that fail for every so-manieth token. */
const FAILING = { mint_power: 3, sell_simulation: 50, hidden_owner: 2_400 };
const CHECK_IDS = [...Object.keys(FAILING), 'proxy'];

/** Values go together, as they do in the world: a page may lie at the far end of an order, or evenly along it. */
const verdictOf = (number: number, seed: number): IndexedVerdict => {
  const percent = 50 + ((number * 31 + seed) % 51);
  const risk = (number % 2 === 0 ? percent : 100 - percent) * 100 + (seed % 2) * 50;
  const createdAtS = BORN_S + number * 60;
  const failing = Object.entries(FAILING).filter(([, every]) => (number + seed) % every === 0);
  return {
    isScam: number % 2 === 0 ? 1 : 0,
    percent,
    risk: Math.min(risk, 10_000),
    createdAtS,
    analyzedAtMs: createdAtS * 1_000 + seed,
    confidence: percent / 100,
    riskScore: Math.min(risk, 10_000) / 100,
    name: `word${number % 90} coin${number % 70}`,
    symbol: `S${number % 40}`,
    creator: addressOf(number % CREATORS),
    failed: failing.map(([id]) => id).toSorted(),
    summary: `[${seed}]`,
  };
};

/** Most filters ask little, so that something is left. */
const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const time = fc.nat(TOKENS).map((number) => BORN_S + number * 60);
const filter: fc.Arbitrary<VerdictFilter> = fc.record({
  prediction: optional(fc.constantFrom('SCAM' as const, 'LEGIT' as const)),
  minConfidence: optional(fc.constantFrom(60, 90, 99)),
  maxConfidence: optional(fc.constantFrom(51, 75)),
  minRisk: optional(fc.constantFrom(1, 50, 99)),
  maxRisk: optional(fc.constantFrom(2, 60.5)),
  createdFromS: optional(time),
  createdToS: optional(time),
});
const ids = fc.subarray(CHECK_IDS, { maxLength: 2 });
const traits: fc.Arbitrary<Traits> = fc.record({
  checks: optional(fc.record({ all: ids, any: ids, none: ids })),
  text: optional(fc.constantFrom('word1', 'oin33', 'd7 coin', 'zzz')),
  creator: optional(fc.nat(CREATORS).map(addressOf)),
});
const page = fc.record({
  filter,
  traits: optional(traits),
  sort: fc.constantFrom(...VERDICT_SORTS),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(1, 20, 100),
  offset: fc.constantFrom(0, 0, 30, 900),
  after: optional(fc.nat(TOKENS - 1)),
});
const changes = fc.array(
  fc.record({ number: fc.nat(TOKENS - 1), seed: fc.nat(9), isGone: fc.boolean() }),
  { maxLength: CHANGES },
);

const isWithin = (value: number, from = value, to = value): boolean => value >= from && value <= to;

const passes = (one: IndexedVerdict, asked: VerdictFilter, having: Traits = {}): boolean => {
  const { checks: { all = [], any = [], none = [] } = {}, text, creator } = having;
  return (
    (asked.prediction === undefined || (asked.prediction === 'SCAM') === (one.isScam === 1)) &&
    isWithin(one.percent, asked.minConfidence, asked.maxConfidence) &&
    isWithin(one.riskScore, asked.minRisk, asked.maxRisk) &&
    isWithin(one.createdAtS, asked.createdFromS, asked.createdToS) &&
    all.every((id) => one.failed.includes(id)) &&
    (any.length === 0 || any.some((id) => one.failed.includes(id))) &&
    !none.some((id) => one.failed.includes(id)) &&
    (text === undefined || one.name.includes(text)) &&
    (creator === undefined || one.creator === creator)
  );
};

type Listed = readonly [token: Hex, verdict: IndexedVerdict];

const comparing =
  (sort: VerdictPage['sort']) =>
  ([token, a]: Listed, [other, b]: Listed): number => {
    const [x, y] = [sortValue(a, sort), sortValue(b, sort)];
    if (x !== y) return x < y ? -1 : 1;
    return token < other ? -1 : Number(token > other);
  };

const index = openIndex();
const inForce = new Map<Hex, IndexedVerdict>();
for (let number = 0; number < TOKENS; number += 1) {
  // In no order of time.
  inForce.set(addressOf(number), verdictOf((number * 7_919) % TOKENS, 0));
}
index.load(
  [...inForce]
    .toSorted(([token], [other]) => (token < other ? -1 : 1))
    .map(([token, verdict]) => ({ token, verdict })),
);
index.seal();
after(() => index.close());

/** Entries begin with the digits of the address. */
const tokensOf = (entries: string): string[] =>
  (JSON.parse(entries) as [string][]).map(([digits]) => `0x${digits}`);

it('has the pages and totals of a plain filter and sort, wherever in an order they lie', () => {
  fc.assert(
    fc.property(changes, fc.array(page, { minLength: 8, maxLength: 8 }), (changed, pages) => {
      for (const { number, seed, isGone } of changed) {
        const token = addressOf(number);
        const verdict = isGone ? undefined : verdictOf((number * 7_919) % TOKENS, seed);
        index.change([{ token, verdict }]);
        if (verdict) inForce.set(token, verdict);
        else inForce.delete(token);
      }
      for (const { filter: asked, traits: having, after: place, ...rest } of pages) {
        const verdict = verdictOf(place ?? 0, 0);
        const first: Listed = [addressOf(place ?? 0), verdict];
        const { sort, order, limit, offset } = rest;
        const position = { value: sortValue(verdict, sort), token: first[0] };
        const sign = order === 'asc' ? 1 : -1;
        const compare = comparing(sort);
        const left = [...inForce].filter(([, one]) => passes(one, asked, having));
        const found = left
          .filter((one) => place === undefined || sign * compare(one, first) > 0)
          .toSorted((a, b) => sign * compare(a, b));
        const start = place === undefined ? offset : 0;
        const question = { ...asked, traits: having, ...rest };
        assert.deepEqual(
          tokensOf(index.list({ ...question, after: place === undefined ? undefined : position })),
          found.slice(start, start + limit).map(([token]) => token),
        );
        assert.equal(Number(index.count(question)), left.length);
      }
    }),
    { numRuns: 30 },
  );
});

it('finds a token that is the first of its block to have something, in every order', () => {
  const rest = { order: 'asc' as const, limit: 2, offset: 0 };
  const asked: (VerdictFilter & { traits?: Traits })[] = [
    { traits: { checks: { all: ['proxy'] } } },
    { traits: { checks: { any: ['proxy', 'unknown'] } } },
    { createdFromS: BORN_S + 61 * TOKENS },
  ];
  const listed = (filtered: (typeof asked)[number]): string[][] =>
    VERDICT_SORTS.map((sort) => tokensOf(index.list({ ...filtered, sort, ...rest })));
  assert.deepEqual(asked.map(listed).flat(2), []);
  const token = addressOf(TOKENS / 2);
  const createdAtS = BORN_S + 62 * TOKENS;
  const verdict = { ...verdictOf(1, 0), createdAtS, failed: ['mint_power', 'proxy'] };
  index.change([{ token, verdict }]);
  for (const filtered of asked) {
    assert.deepEqual(
      listed(filtered),
      VERDICT_SORTS.map(() => [token]),
    );
  }
});
