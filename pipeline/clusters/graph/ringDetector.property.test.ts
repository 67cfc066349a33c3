import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Hex } from '../../../shared/chain/block.ts';
import { LONG_PROPERTY_RUNS, PROPERTY_SEED } from '../../../shared/testing/random.ts';
import { created, edge as edgeOf } from '../testing/detectorBlocks.ts';
import { createRingDetector, type RingDetector } from './createRingDetector.ts';
import type { Ring, RingChanges } from './ring.ts';
import type { DetectorBlock, DetectorFact } from './ringDetector.ts';

const EDGE_KINDS = ['native', 'funding', 'proceeds', 'lpPaid', 'token', 'bought', 'sold'] as const;
const WALLETS = 16;
const TOKENS = 6;

const hex = (name: number, bytes: number): Hex => `0x${name.toString(16).padStart(bytes * 2, '0')}`;
/** The number is in the first digits because rings are named after them. */
const addressOf = (name: number): Hex => `0x${name.toString(16).padStart(8, '0').padEnd(40, '0')}`;
const walletOf = (name: number): Hex => addressOf(name + 1);
const tokenOf = (name: number): Hex => addressOf(name + 1_000);

const wallet = fc.nat(WALLETS - 1).map(walletOf);
const token = fc.nat(TOKENS - 1).map(tokenOf);
const edge = fc
  .record({
    kind: fc.oneof(fc.constant('native' as const), fc.constantFrom(...EDGE_KINDS)),
    from: wallet,
    to: wallet,
    token,
    value: fc.constantFrom(0, 0.1, 1, 1, 2, 10),
    txHash: fc.nat(1_000_000).map((name) => hex(name + 1, 32)),
  })
  .map(({ kind, from, to, token: traded, ...row }): DetectorFact => {
    const isTrade = kind === 'bought' || kind === 'sold';
    return edgeOf(kind, from, isTrade ? traded : to, row);
  });
const creation = fc.record({ token, creator: wallet, codeHash: fc.nat(1).map((n) => hex(n, 32)) });
const block = fc.record({
  edges: fc.array(edge, { maxLength: 5 }),
  creation: fc.option(creation, { freq: 2, nil: undefined }),
});
const verdict = fc.record({ token, isScam: fc.constantFrom(true, true, false) });
const verdicts = fc.tuple(
  ...Array.from({ length: TOKENS }, (_, i) =>
    fc.constantFrom(true, true, false).map((isScam) => ({ token: tokenOf(i), isScam })),
  ),
);
const hubs = fc.array(wallet, { maxLength: 1 });

type PlannedBlock = typeof block extends fc.Arbitrary<infer T> ? T : never;
interface History {
  readonly blocks: readonly DetectorBlock[];
  readonly verdicts: readonly { token: Hex; isScam: boolean }[];
  readonly hubs: readonly Hex[];
}

/** A block on top of others: a token is created once. `tag` distinguishes blocks of the same height. */
const blockOn = (
  below: readonly DetectorBlock[],
  { edges, creation: deployed }: PlannedBlock,
  tag = 0,
): DetectorBlock => {
  const number = below.length + 1;
  const isKnown = below.some(({ facts }) =>
    facts.some(({ kind, to }) => kind === 'created' && to === deployed?.token),
  );
  const creations =
    deployed && !isKnown ? [created(deployed.token, deployed.creator, deployed.codeHash)] : [];
  return { number, hash: hex(number * 100_000 + tag, 32), facts: [...edges, ...creations] };
};

const history = fc
  .record({ plan: fc.array(block, { minLength: 2, maxLength: 16 }), verdicts, hubs })
  .map(({ plan, ...rest }): History => {
    const blocks: DetectorBlock[] = [];
    for (const planned of plan) blocks.push(blockOn(blocks, planned));
    return { ...rest, blocks };
  });

const detectorOf = (hubsOf: readonly Hex[]): RingDetector =>
  createRingDetector({ hubs: hubsOf, edgesMax: 400, walletsMax: 64 });

const loaded = (facts: History): RingDetector => {
  const detector = detectorOf(facts.hubs);
  for (const each of facts.blocks) detector.load(each);
  for (const each of facts.verdicts) detector.loadVerdict(each.token, each.isScam);
  detector.findRings();
  return detector;
};

const byId = (a: Ring, b: Ring): number => (a.id < b.id ? -1 : 1);
const ringsOf = (detector: RingDetector): Ring[] => [...detector.rings()].sort(byId);
/** The rings without their names, in a fixed order. */
const content = (detector: RingDetector): string[] =>
  [...detector.rings()].map((ring) => JSON.stringify({ ...ring, id: '', name: '' })).sort();

/** Maintains a copy of the rings from changes only. */
const createMirror = () => {
  const rings = new Map<string, Ring>();
  return {
    rings: (): Ring[] => [...rings.values()].sort(byId),
    take: ({ changed, removed }: RingChanges): void => {
      for (const { id } of removed) assert.ok(rings.delete(id), `${id} was not there`);
      for (const ring of changed) rings.set(ring.id, ring);
      for (const { id, mergedInto } of removed) {
        assert.ok(!changed.some((ring) => ring.id === id));
        assert.ok(mergedInto === null || rings.has(mergedInto));
      }
    },
  };
};

const holds = <T>(name: string, facts: fc.Arbitrary<T>, check: (given: T) => void): void => {
  it(`${name} (${LONG_PROPERTY_RUNS} runs from seed ${PROPERTY_SEED})`, () => {
    fc.assert(fc.property(facts, check), { numRuns: LONG_PROPERTY_RUNS, seed: PROPERTY_SEED });
  });
};

const step = fc.oneof(
  { weight: 6, arbitrary: block.map((planned) => ({ kind: 'apply' as const, planned })) },
  { weight: 2, arbitrary: verdict.map((verdict) => ({ kind: 'verdict' as const, verdict })) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 5 }).map((depth) => ({ kind: 'undo' as const, depth })),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'repeat' as const }) },
);

describe('ring detector, any history', () => {
  holds(
    'blocks, verdicts and reorgs in any sequence leave what a fresh detector finds in what is left',
    fc.record({ steps: fc.array(step, { maxLength: 40 }), hubs }),
    ({ steps, hubs: listed }) => {
      const detector = detectorOf(listed);
      const mirror = createMirror();
      let blocks: readonly DetectorBlock[] = [];
      const verdict = new Map<Hex, boolean>();
      steps.forEach((each, tag) => {
        if (each.kind === 'apply') {
          const next = blockOn(blocks, each.planned, tag);
          blocks = [...blocks, next];
          mirror.take(detector.apply(next));
        } else if (each.kind === 'verdict') {
          verdict.set(each.verdict.token, each.verdict.isScam);
          mirror.take(detector.setVerdict(each.verdict.token, each.verdict.isScam));
        } else if (each.kind === 'undo') {
          const orphaned = blocks.slice(-each.depth).map((orphan) => orphan.hash);
          blocks = blocks.slice(0, -each.depth);
          mirror.take(detector.undo(orphaned));
        } else {
          const last = blocks.at(-1);
          if (last) mirror.take(detector.apply(last));
        }
      });
      const left = [...verdict].map(([scored, isScam]) => ({ token: scored, isScam }));
      assert.deepEqual(
        content(detector),
        content(loaded({ blocks, verdicts: left, hubs: listed })),
      );
      assert.deepEqual(mirror.rings(), ringsOf(detector));
    },
  );

  holds(
    'blocks that come and go leave every ring its id',
    fc.record({ facts: history, plan: fc.array(block, { minLength: 1, maxLength: 5 }) }),
    ({ facts, plan }) => {
      const detector = loaded(facts);
      const before = ringsOf(detector);
      let blocks = facts.blocks;
      for (const planned of plan) {
        const orphan = blockOn(blocks, planned, 1);
        blocks = [...blocks, orphan];
        detector.apply(orphan);
      }
      detector.undo(blocks.slice(facts.blocks.length).map((orphan) => orphan.hash));
      assert.deepEqual(ringsOf(detector), before);
    },
  );

  holds(
    'a payment makes two rings one, and both are back when it is undone',
    fc.record({
      sizes: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
      value: fc.constantFrom(1, 5, 50),
    }),
    ({ sizes, value }) => {
      const masters = [walletOf(0), walletOf(20)] as const;
      const pay = (from: Hex, to: Hex, sum: number) => edgeOf('native', from, to, { value: sum });
      const blocks = masters.map((master, ring): DetectorBlock => {
        const crew = Array.from({ length: sizes[ring] ?? 1 }, (_, i) =>
          walletOf(ring * 20 + i + 1),
        );
        const creations = crew.slice(0, 1).map((creator) => created(tokenOf(ring), creator));
        const payments = crew.map((each) => pay(master, each, 1));
        const facts = [...payments, ...creations];
        return { number: ring + 1, hash: hex(ring + 1, 32), facts };
      });
      const scored = masters.map((_, ring) => ({ token: tokenOf(ring), isScam: true }));
      const detector = loaded({ blocks, verdicts: scored, hubs: [] });
      const before = ringsOf(detector);
      assert.equal(before.length, masters.length);
      // No earlier payment to the master is known: this is its initial funding.
      const block3 = { number: 3, hash: hex(3, 32) };
      const facts = [pay(masters[0], masters[1], value)];
      const { changed, removed } = detector.apply({ ...block3, facts });
      assert.equal(changed.length, 1);
      assert.deepEqual(
        removed.map(({ mergedInto }) => mergedInto),
        [changed[0]?.id],
      );
      detector.undo([block3.hash]);
      assert.deepEqual(ringsOf(detector), before);
    },
  );

  holds(
    'facts in any pieces and any order give what they give at once',
    fc.record({ facts: history, cut: fc.integer({ min: 1, max: 3 }) }).chain(({ facts, cut }) => {
      const pieces = facts.blocks.flatMap(({ number, hash, facts: all }): DetectorBlock[] =>
        Array.from({ length: Math.ceil(all.length / cut) }, (_, i) => ({
          number,
          hash: `${hash}${i}`,
          facts: all.slice(i * cut, (i + 1) * cut),
        })),
      );
      const steps = [...pieces, ...facts.verdicts];
      const order = fc.shuffledSubarray(steps, { minLength: steps.length });
      return fc.record({ facts: fc.constant(facts), order });
    }),
    ({ facts, order }) => {
      const detector = detectorOf(facts.hubs);
      const mirror = createMirror();
      for (const next of order) {
        const isBlock = 'facts' in next;
        mirror.take(isBlock ? detector.apply(next) : detector.setVerdict(next.token, next.isScam));
      }
      assert.deepEqual(content(detector), content(loaded(facts)));
      assert.deepEqual(mirror.rings(), ringsOf(detector));
    },
  );

  holds(
    'rings are disjoint, have a scam and two members, and no hub or token is one',
    history,
    (facts) => {
      const seen = new Set<Hex>();
      for (const { members, statistics } of loaded(facts).rings()) {
        assert.ok(members.length >= 2);
        assert.ok(statistics.scams > 0);
        assert.equal(members.filter(({ role }) => role === 'master').length, 1);
        for (const { wallet: member } of members) {
          assert.ok(!seen.has(member));
          assert.ok(!facts.hubs.includes(member));
          assert.ok(
            !facts.blocks.some((b) => b.facts.some((f) => f.kind === 'created' && f.to === member)),
          );
          seen.add(member);
        }
      }
    },
  );

  holds('a start from stored facts keeps the ids of the run before', history, (facts) => {
    const known = ringsOf(loaded(facts)).map(({ id, members }) => ({
      id: `${id}_before`,
      wallets: members.map(({ wallet: member }) => member),
    }));
    const next = detectorOf(facts.hubs);
    for (const each of facts.blocks) next.load(each);
    for (const each of facts.verdicts) next.loadVerdict(each.token, each.isScam);
    const { removed } = next.findRings(known);
    assert.deepEqual(removed, []);
    assert.deepEqual(
      ringsOf(next).map(({ id }) => id),
      known.map(({ id }) => id).sort(),
    );
  });
});
