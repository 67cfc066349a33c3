import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Hex } from '../../shared/chain/block.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { RELEVANCE, type Traits } from '../search/search.ts';
import { NOW_MS, verdictOf } from '../testing/fakePorts.ts';
import { createFakeTokens, searchVerdicts } from '../testing/fakeTokens.ts';
import type { Verdict } from '../tokens/verdict.ts';
import {
  sortValue,
  VERDICT_SORTS,
  type VerdictFilter,
  type VerdictPage,
} from '../tokens/verdictPage.ts';
import type { ListIndex } from './createListIndex.ts';
import { examineTokens } from './examineTokens.ts';
import { type IndexedToken, openIndex } from './openIndex.ts';
import { countTokens, findTokens, listTokens, searchTokens } from './tokenReads.ts';

/**
 * A small alphabet, so that names are prefixes and parts of each other; it includes characters with a meaning in SQL
 * and in full-text search.
 */
const text = fc.string({
  unit: fc.constantFrom('a', 'B', 'а', 'é', '🐶', '"', "'", '%', '_', '\\', '*', ' ', '-'),
  maxLength: 6,
});
const TOKENS = 25;
/** Half of them differ in their first digits, half in their last. */
const tokenOf = (number: number): Hex => {
  const digits = ((number * 7) % 41).toString(16).padStart(2, '0');
  return `0x${number % 2 === 0 ? digits.padEnd(40, '0') : digits.padStart(40, '0')}`;
};
const CHECK_IDS = ['mint_power', 'proxy', "it's"];
const FEATURES = ['age', 'share'];
const BORN_S = 1_800_000_000;
/** Seconds after that: some of the same day, some days and months apart. */
const AGES_S = [0, 1, 2, 3, 260_000, 700_000, 900_000, 20_000_000];

/** Scores with ties, at the boundaries of levels and percents, and ones that need all digits of a float. */
const probability = fc.constantFrom(0.005, 0.2499, 0.25, 0.495, 0.5, 0.745, 0.1 + 0.2, 0.99999, 1);
const verdict = fc
  .record({
    token: fc.integer({ min: 0, max: TOKENS }).map(tokenOf),
    probability,
    symbol: text,
    name: text,
    bornS: fc.constantFrom(...AGES_S),
    analyzedS: fc.nat(3),
    creator: fc.nat(2).map(tokenOf),
    failed: fc.subarray(CHECK_IDS),
    features: fc.record(
      { age: fc.constantFrom(-1, 0, 1, 2), share: fc.constantFrom(0, 0.1 + 0.2, 1e-300) },
      { requiredKeys: [] },
    ),
  })
  .map(({ token, probability: scam, creator, failed, features, ...rest }): Verdict => {
    const { bornS, analyzedS, ...named } = rest;
    const base = verdictOf(token);
    const checks = failed.map((id) => ({
      id,
      severity: 'warning' as const,
      reason: '',
      status: 'fail' as const,
    }));
    return {
      ...base,
      ...named,
      doc: {
        ...base.doc,
        features: { ...base.doc.features, ...features },
        checks,
        creator: { ...base.doc.creator, address: creator },
      },
      prediction: scam >= 0.5 ? 'SCAM' : 'LEGIT',
      confidence: Math.max(scam, 1 - scam),
      riskScore: scam * 100,
      createdAtS: BORN_S + bornS,
      analyzedAtMs: NOW_MS + 1_000 * analyzedS,
    };
  });
/** A verdict, or the token of one that a reorg removed. */
const change = fc.record({ verdict, isGone: fc.boolean() });

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const filter: fc.Arbitrary<VerdictFilter> = fc.record({
  prediction: optional(fc.constantFrom('SCAM' as const, 'LEGIT' as const)),
  minConfidence: optional(fc.constantFrom(50, 70, 75, 100)),
  maxConfidence: optional(fc.constantFrom(50, 70, 75, 100)),
  riskLevels: optional(fc.subarray([...RISK_LEVELS], { minLength: 1 })),
  minRisk: optional(fc.constantFrom(24.99, 25, 30, 50)),
  maxRisk: optional(fc.constantFrom(25, 30, 49.5, 100)),
  createdFromS: optional(fc.constantFrom(...AGES_S).map((s) => BORN_S + s)),
  createdToS: optional(fc.constantFrom(...AGES_S).map((s) => BORN_S + s)),
});
const page = fc.record({
  filter,
  sort: fc.constantFrom(...VERDICT_SORTS),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.integer({ min: 1, max: 8 }),
  offset: fc.nat(6),
  after: optional(verdict),
});
const traits: fc.Arbitrary<Traits> = fc.record({
  checks: fc.record({
    all: fc.subarray(CHECK_IDS, { maxLength: 2 }),
    any: fc.subarray(CHECK_IDS, { maxLength: 2 }),
    none: fc.subarray(CHECK_IDS, { maxLength: 1 }),
  }),
  text: optional(text.map(foldText).filter((folded) => folded !== '')),
  creator: optional(fc.nat(3).map(tokenOf)),
  features: optional(
    fc.record(
      {
        age: fc.record({ min: fc.constantFrom(-1, 0, 1), max: fc.constantFrom(0, 1) }),
        share: fc.record(
          { min: fc.constantFrom(0, 0.3), max: fc.constantFrom(0.1 + 0.2, 1) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
  ),
});

/** As `token_verdicts` has it. */
const indexedOf = (one: Verdict): IndexedToken => {
  const { token, name, symbol, confidence, riskScore, model, blockNumber, doc, ...times } = one;
  const { createdAtS, analyzedAtMs, prediction } = times;
  const shown = [name, symbol, confidence, riskScore, model, createdAtS, analyzedAtMs, blockNumber];
  return {
    token,
    verdict: {
      isScam: prediction === 'SCAM' ? 1 : 0,
      percent: Math.floor(confidence * 100 + 0.5),
      risk: Math.floor(riskScore * 100 + 0.5),
      createdAtS,
      analyzedAtMs,
      confidence,
      riskScore,
      name,
      symbol,
      creator: doc.creator.address,
      failed: doc.checks.map(({ id }) => id).toSorted(),
      summary: JSON.stringify(shown),
    },
  };
};

type Loaded = {
  readonly index: ListIndex;
  readonly verdicts: readonly Verdict[];
  readonly close: () => void;
};

/**
 * An index that was loaded with some verdicts and followed changes, and the verdicts in force then.
 * @param isHeld whether features were loaded before the changes
 */
const indexAfter = (
  loaded: readonly Verdict[],
  changes: readonly { readonly verdict: Verdict; readonly isGone: boolean }[],
  isHeld = true,
): Loaded => {
  const opened = openIndex();
  const inForce = new Map(loaded.map((one) => [one.token, one]));
  opened.load(loaded.map(indexedOf).toSorted((a, b) => (a.token < b.token ? -1 : 1)));
  opened.seal();
  const withFeatures = (one: Verdict): IndexedToken => {
    const { token, verdict: indexed } = indexedOf(one);
    return { token, verdict: indexed && { ...indexed, features: one.doc.features } };
  };
  /** Every other one is filled in, the rest is read again. */
  const hold = (): void => {
    opened.hold(FEATURES);
    const known = [...inForce.values()];
    const filled = [verdictOf(tokenOf(TOKENS + 1)), ...known.filter((_, at) => at % 2 === 0)];
    for (const name of FEATURES) {
      const tokens = filled.map(({ token, doc: { features } }) => {
        const value = features[name];
        return { token, features: value === undefined ? {} : { [name]: value } };
      });
      opened.fill({ names: [name], tokens });
    }
    opened.change(known.filter((_, at) => at % 2 === 1).map(withFeatures));
  };
  if (isHeld) hold();
  for (const { verdict: one, isGone } of changes) {
    const next = isHeld ? withFeatures(one) : indexedOf(one);
    opened.change([isGone ? { token: one.token, verdict: undefined } : next]);
    if (isGone) inForce.delete(one.token);
    else inForce.set(one.token, one);
  }
  if (!isHeld) hold();
  return {
    index: {
      ask: async (method, question) =>
        JSON.parse((opened[method] as (asked: unknown) => string)(question)),
      know: async () => undefined,
    },
    verdicts: [...inForce.values()],
    close: () => opened.close(),
  };
};

const summaries = (found: readonly { token: string }[]) =>
  found.map(({ token, ...rest }) => {
    const { name, symbol, prediction, confidence, riskScore, model, ...times } = rest as Verdict;
    const { createdAtS, analyzedAtMs, blockNumber } = times;
    const scores = { prediction, confidence, riskScore, model };
    return { token, name, symbol, ...scores, createdAtS, analyzedAtMs, blockNumber };
  });

describe('the index of tokens', () => {
  it('answers as a plain filter and sort do, whatever was loaded, changed and asked', async () => {
    const loaded = fc.uniqueArray(verdict, { selector: ({ token }) => token, maxLength: 20 });
    const changed = fc.array(change, { maxLength: 20 });
    const asked = fc.array(fc.record({ page, traits }), { minLength: 4, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(loaded, changed, asked, fc.boolean(), async (...given) => {
        const [verdicts, changes, questions, isHeld] = given;
        const state = indexAfter(verdicts, changes, isHeld);
        const { index } = state;
        const oracle = createFakeTokens(state.verdicts);
        for (const { page: one, traits: having } of questions) {
          const { filter: filtered, after, ...rest } = one;
          const place = after && { value: sortValue(after, one.sort), token: after.token };
          const wanted: VerdictPage = { ...filtered, ...rest, after: place };
          assert.deepEqual(
            summaries(await listTokens(index, wanted)),
            summaries(await oracle.list(wanted)),
          );
          assert.equal(await countTokens(index, filtered), await oracle.count(filtered));
          // Few pass all filters, so features are also tested separately.
          const alone = { features: having.features };
          for (const [list, some] of [[wanted, having] as const, [rest, alone] as const]) {
            const examined = await examineTokens(index, list, some);
            const expected = await oracle.examine(list, some);
            assert.deepEqual(summaries(examined.found), summaries(expected.found));
            assert.deepEqual(examined.next, expected.next);
            if (examined.total !== undefined) assert.equal(examined.total, expected.total);
          }
        }
        state.close();
      }),
      { numRuns: 60 },
    );
  });

  it('finds names and addresses as they read, the most relevant first, and several tokens at once', async () => {
    const loaded = fc.uniqueArray(verdict, { selector: ({ token }) => token, maxLength: 20 });
    const question = fc.record({
      folded: optional(text.map(foldText).filter((one) => one !== '')),
      digits: optional(fc.constantFrom('0', '1', tokenOf(3).slice(2))),
      traded: fc.uniqueArray(fc.nat(TOKENS).map(tokenOf), { maxLength: 3 }),
      limit: fc.integer({ min: 1, max: 8 }),
      offset: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(
        loaded,
        fc.array(change, { maxLength: 10 }),
        fc.array(question, { minLength: 4, maxLength: 8 }),
        async (verdicts, changes, questions) => {
          const { index, verdicts: inForce, close } = indexAfter(verdicts, changes);
          for (const asked of questions) {
            const [found, expected] = [
              await searchTokens(index, asked),
              searchVerdicts(inForce, asked),
            ];
            // If nothing matches, near matches are returned.
            if (expected.total === 0 && asked.folded !== undefined) {
              for (const { relevance } of found.hits)
                assert.ok(relevance <= RELEVANCE.similar.symbol);
              continue;
            }
            assert.equal(found.total, expected.total);
            const shown = (hits: typeof expected.hits | typeof found.hits) =>
              hits.map(({ match, relevance, verdict: { token } }) => [match, relevance, token]);
            assert.deepEqual(shown(found.hits), shown(expected.hits));
          }
          const addresses = inForce.map(({ token }) => token).toSorted();
          const known = await findTokens(index, [...addresses, `0x${'ee'.repeat(20)}`]);
          assert.deepEqual(known.map(({ token }) => token).toSorted(), addresses);
          close();
        },
      ),
      { numRuns: 100 },
    );
  });

  it('forgives mistakes in typing where nothing else is found, the nearest name first', async () => {
    const names = [
      ['ETH', 'Ethereum'],
      ['ETHR', 'Etheream'],
      ['LINK', 'Chainlink'],
      ['BSI', 'Baby Shiba Inu'],
      ['PEPE', 'Pepe "the" Frog'],
    ] as const;
    const { index, close } = indexAfter(
      names.map(([symbol, name], at) => ({ ...verdictOf(tokenOf(at)), symbol, name })),
      [],
    );
    const asked = async (folded: string, limit = 5, offset = 0) => {
      const { total, hits } = await searchTokens(index, {
        folded,
        digits: undefined,
        traded: [],
        limit,
        offset,
      });
      return [total, ...hits.map(({ match, verdict: { symbol } }) => `${match} ${symbol}`)];
    };
    for (const [typed, ...found] of [
      ['etherium', 1, 'name ETH'],
      ['ehtereum', 1, 'name ETH'],
      ['chanlikn', 0],
      ['chainlikn', 1, 'name LINK'],
      ['chanlinc', 0],
      ['chanlinck', 1, 'name LINK'],
      ['shibba', 1, 'name BSI'],
      ['pepo', 1, 'symbol PEPE'],
      ['etherea', 1, 'name ETHR'],
      ['ethereu', 1, 'name ETH'],
      ['ethereaum', 2, 'name ETH', 'name ETHR'],
      ['pe"e', 1, 'symbol PEPE'],
      ['zzzzzzzzzz', 0],
      ['lin', 1, 'symbol LINK'],
      ['lik', 0],
    ] as const)
      assert.deepEqual(await asked(typed), found, typed);
    assert.deepEqual(await asked('ethereaum', 1, 1), [2, 'name ETHR']);
    close();
  });
});
