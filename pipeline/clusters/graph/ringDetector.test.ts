import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { createRandom, type Random } from '../../../shared/testing/simulation/random.ts';
import { createRingDetector } from './createRingDetector.ts';
import { type BlockFacts, EDGE_KINDS } from './facts.ts';
import type { Ring, RingChanges } from './ring.ts';
import type { RingDetector } from './ringDetector.ts';

const RUNS = 2_000;
const FIRST_SEED = 1;

const hex = (name: number, bytes: number): Hex => `0x${name.toString(16).padStart(bytes * 2, '0')}`;
/** The number stands in the first digits, for rings are named after them. */
const addressOf = (name: number): Hex => `0x${name.toString(16).padStart(8, '0').padEnd(40, '0')}`;
const walletOf = (name: number): Hex => addressOf(name + 1);
const tokenOf = (name: number): Hex => addressOf(name + 1_000);

interface History {
  readonly blocks: readonly BlockFacts[];
  readonly judgements: readonly { token: Hex; isScam: boolean }[];
  readonly hubs: readonly Hex[];
}

const randomBlock = (random: Random, number: number, wallets: number, tag: number): BlockFacts => {
  const pick = (): Hex => walletOf(random.below(wallets));
  const edges = Array.from({ length: random.below(5) }, () => {
    const kind = random.oneIn(2) ? 'native' : random.pick(EDGE_KINDS);
    const isTrade = kind === 'bought' || kind === 'sold';
    const to = isTrade ? tokenOf(random.below(6)) : pick();
    const tx = hex(random.below(1_000_000) + 1, 32);
    return { kind, from: pick(), to, value: random.pick([0, 0.1, 1, 1, 2, 10]), tx };
  });
  const isBirth = random.oneIn(3);
  const birth = { token: tokenOf(random.below(6)), tx: null, codeHash: hex(random.below(2), 32) };
  const deployments = isBirth ? [{ ...birth, creator: pick() }] : [];
  return { block: { number, hash: hex(number * 10 + tag, 32) }, edges, deployments };
};

const randomHistory = (random: Random): History => {
  const wallets = 4 + random.below(14);
  const tokens = new Set<Hex>();
  const blocks = Array.from({ length: 2 + random.below(14) }, (_, i) => {
    const facts = randomBlock(random, i + 1, wallets, 0);
    // A token is born once.
    const deployments = facts.deployments.filter(({ token }) => !tokens.has(token));
    for (const { token } of deployments) tokens.add(token);
    return { ...facts, deployments };
  });
  const judgements = Array.from({ length: 6 }, (_, i) => ({
    token: tokenOf(i),
    isScam: !random.oneIn(3),
  }));
  const hubs = random.oneIn(2) ? [walletOf(random.below(wallets))] : [];
  return { blocks, judgements, hubs };
};

const detectorOf = ({ hubs }: History): RingDetector =>
  createRingDetector({ hubs, edgesMax: 200, walletsMax: 64 });

const shuffled = <T>(random: Random, values: readonly T[]): T[] => {
  const rest = [...values];
  return values.map(() => rest.splice(random.below(rest.length), 1)[0] as T);
};

const loaded = (history: History): RingDetector => {
  const detector = detectorOf(history);
  for (const facts of history.blocks) detector.load(facts);
  for (const { token, isScam } of history.judgements) detector.loadJudgement(token, isScam);
  detector.settle();
  return detector;
};

/** The rings without their names, in a fixed order. */
const content = (detector: RingDetector): string[] =>
  [...detector.rings()].map((ring) => JSON.stringify({ ...ring, id: '', name: '' })).sort();

/** Keeps a copy of the rings from changes alone. */
const createMirror = () => {
  const rings = new Map<string, Ring>();
  return {
    rings,
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

const forSeeds = (name: string, check: (random: Random) => void): void => {
  it(`${name} (${RUNS} runs from seed ${FIRST_SEED})`, () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed += 1) {
      try {
        check(createRandom(seed));
      } catch (error) {
        throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
      }
    }
  });
};

describe('ring detector, any history', () => {
  forSeeds('step by step in any order finds what it finds at once', (random) => {
    const history = randomHistory(random);
    const detector = detectorOf(history);
    const mirror = createMirror();
    const steps = [
      ...history.blocks.map((facts) => () => detector.apply(facts)),
      ...history.judgements.map(
        ({ token, isScam }) =>
          () =>
            detector.judge(token, isScam),
      ),
    ];
    for (const step of shuffled(random, steps)) mirror.take(step());
    assert.deepEqual(content(detector), content(loaded(history)));
    assert.deepEqual(
      [...mirror.rings.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      [...detector.rings()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  forSeeds('blocks applied and undone leave nothing, and one block no other id', (random) => {
    const history = randomHistory(random);
    const detector = loaded(history);
    const before = [...detector.rings()];
    const orphans = Array.from({ length: 1 + random.below(4) }, (_, i) =>
      randomBlock(random, history.blocks.length + i, 12, 1),
    ).map((facts) => ({ ...facts, deployments: [] }));
    for (const facts of orphans) detector.apply(facts);
    detector.undo(shuffled(random, orphans).map(({ block }) => block.hash));
    assert.deepEqual(content(detector), content(loaded(history)));
    // Several blocks in a row can hand an id from deployer to deployer; one is taken back exactly.
    if (orphans.length > 1) return;
    const ids = (rings: readonly Ring[]): string[] => rings.map(({ id }) => id).sort();
    assert.deepEqual(ids([...detector.rings()]), ids(before));
  });

  forSeeds('the order inside a block and repeated blocks change nothing', (random) => {
    const history = randomHistory(random);
    const blocks = history.blocks.map((facts) => ({
      ...facts,
      edges: shuffled(random, facts.edges),
    }));
    const other = loaded({ ...history, blocks: [...blocks, random.pick(blocks)] });
    assert.deepEqual(content(other), content(loaded(history)));
  });

  forSeeds(
    'rings are disjoint, have a scam and two members, and no hub or token is one',
    (random) => {
      const history = randomHistory(random);
      const seen = new Set<Hex>();
      for (const { members, statistics } of loaded(history).rings()) {
        assert.ok(members.length >= 2);
        assert.ok(statistics.scams > 0);
        assert.equal(members.filter(({ role }) => role === 'master').length, 1);
        for (const { wallet } of members) {
          assert.ok(!seen.has(wallet));
          assert.ok(!history.hubs.includes(wallet));
          assert.ok(!history.blocks.some((b) => b.deployments.some((d) => d.token === wallet)));
          seen.add(wallet);
        }
      }
    },
  );

  forSeeds('a start from stored facts keeps the ids of the run before', (random) => {
    const history = randomHistory(random);
    const known = [...loaded(history).rings()].map(({ id, members }) => ({
      id: `${id}_before`,
      wallets: members.map(({ wallet }) => wallet),
    }));
    const next = detectorOf(history);
    for (const facts of history.blocks) next.load(facts);
    for (const { token, isScam } of history.judgements) next.loadJudgement(token, isScam);
    const { removed } = next.settle(known);
    assert.deepEqual(removed, []);
    assert.deepEqual(
      [...next.rings()].map(({ id }) => id).sort(),
      known.map(({ id }) => id).sort(),
    );
  });
});
