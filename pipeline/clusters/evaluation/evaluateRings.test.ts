import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CrewOptions, plantCrews } from '../testing/plantCrews.ts';
import { LABELLED, PLAIN, type PlantedWorld } from '../testing/plantedWorld.ts';
import { plantRings, RING_STYLES, type RingStyle } from '../testing/plantRings.ts';
import { mapKind } from './arrangeFacts.ts';
import { evaluateRings } from './evaluateRings.ts';
import { createNames } from './parseCells.ts';

/** How well found clusters match planted ones. */
interface ClusterAgreement {
  /** Adjusted Rand index (Hubert and Arabie 1985) over all wallets in either; who is in none is alone. */
  readonly ari: number;
  /** Of the pairs put together, the share that belongs together; and the reverse. */
  readonly pairwisePrecision: number;
  readonly pairwiseRecall: number;
  /** Wallets found in a ring that are in none. */
  readonly innocents: number;
}

const pairs = (count: number): number => (count * (count - 1)) / 2;

const sumPairs = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += pairs(count);
  return sum;
};

/** Compares two groupings, each from wallet to the name of its group. */
const compareClusters = (
  truth: ReadonlyMap<string, string | number>,
  found: ReadonlyMap<string, string | number>,
): ClusterAgreement => {
  const wallets = new Set([...truth.keys(), ...found.keys()]);
  const count = <K>(map: Map<K, number>, key: K): void =>
    void map.set(key, (map.get(key) ?? 0) + 1);
  const [planted, predicted, both] = [
    new Map<string | number, number>(),
    new Map<string | number, number>(),
    new Map<string, number>(),
  ];
  for (const wallet of wallets) {
    const [a, b] = [truth.get(wallet) ?? wallet, found.get(wallet) ?? wallet];
    count(planted, a);
    count(predicted, b);
    count(both, `${a} ${b}`);
  }
  const [together, ofTruth, ofFound] = [both, planted, predicted].map((map) =>
    sumPairs(map.values()),
  ) as [number, number, number];
  const expected = (ofTruth * ofFound) / pairs(wallets.size);
  const most = (ofTruth + ofFound) / 2;
  return {
    ari: most === expected ? 1 : (together - expected) / (most - expected),
    pairwisePrecision: ofFound === 0 ? 1 : together / ofFound,
    pairwiseRecall: ofTruth === 0 ? 1 : together / ofTruth,
    innocents: [...found.keys()].filter((wallet) => !truth.has(wallet)).length,
  };
};

const evaluate = (
  world: Pick<PlantedWorld, 'edges' | 'deployments' | 'truth'>,
): ClusterAgreement => {
  const names = createNames();
  const { rings } = evaluateRings(
    world.edges.map((row) => ({
      ...row,
      from: names.addressOf(row.from),
      to: names.addressOf(row.to),
      kind: mapKind(row.kind),
      tx: null,
    })),
    world.deployments.map(({ token, creator, block, scam }) => ({
      token: names.addressOf(token),
      creator: names.addressOf(creator),
      block,
      isScam: scam,
    })),
  );
  const found = new Map(
    rings.flatMap(({ id, members }) => members.map(({ wallet }) => [wallet, id] as const)),
  );
  return compareClusters(world.truth, found);
};

const round = (value: number): string => value.toFixed(4);

describe('rings planted among 100,000 edges', () => {
  for (const [vocabulary, words] of Object.entries({ LABELLED, PLAIN })) {
    for (const seed of [1, 2]) {
      it(`are found whole and alone, mixed styles, ${vocabulary}, seed ${seed}`, (t) => {
        const result = evaluate(plantRings({ seed, edges: 100_000, rings: 40, words }));
        t.diagnostic(
          `ARI ${round(result.ari)} precision ${round(result.pairwisePrecision)} recall ${round(result.pairwiseRecall)} innocents ${result.innocents}`,
        );
        assert.ok(result.pairwisePrecision >= 0.99, `precision ${round(result.pairwisePrecision)}`);
        assert.ok(result.ari >= 0.95, `ARI ${round(result.ari)}`);
      });
    }
    for (const style of Object.keys(RING_STYLES) as RingStyle[]) {
      it(`are found in the style ${style}, ${vocabulary}`, (t) => {
        const result = evaluate(
          plantRings({ seed: 7, edges: 30_000, rings: 20, words, styles: [style] }),
        );
        t.diagnostic(
          `ARI ${round(result.ari)} precision ${round(result.pairwisePrecision)} recall ${round(result.pairwiseRecall)} innocents ${result.innocents}`,
        );
        assert.ok(result.ari >= 0.9, `ARI ${round(result.ari)}`);
      });
    }
  }
});

describe('crews planted among 40,000 edges of which all read alike', () => {
  const base: CrewOptions = {
    seed: 3,
    edges: 40_000,
    crews: 20,
    people: 5_000,
    layouts: ['chain', 'star', 'tree', 'relayed', 'exchange'],
    sizeMax: 100,
    noisePercent: 0,
    deployersPercent: 30,
    crewBlocks: 2_000,
    exchanges: 1,
    dustersPercent: 0,
    honestPercent: 2,
  };
  /** The size of world for which the aims under noise are stated. */
  const large = { edges: 100_000, crews: 40, people: 12_000, sizeMax: 200 };
  const cases: readonly (Partial<CrewOptions> & { name: string; ariMin: number })[] = [
    { name: 'nothing touches them', ariMin: 0.99 },
    { name: 'three random transfers in a hundred touch them', noisePercent: 3, ariMin: 0.95 },
    { name: 'five in a hundred', noisePercent: 5, ariMin: 0.95, ...large },
    { name: 'ten in a hundred', seed: 32, noisePercent: 10, ariMin: 0.85, ...large },
    { name: 'few of them deploy', noisePercent: 1, deployersPercent: 2, ariMin: 0.95 },
    { name: 'long chains', noisePercent: 5, layouts: ['longChain'], crews: 8, ariMin: 0.95 },
    { name: 'they take their time', noisePercent: 1, crewBlocks: 80_000, ariMin: 0.95 },
    { name: 'they dust people', noisePercent: 5, dustersPercent: 1, ariMin: 0.95, ...large },
    { name: 'five exchanges, many honest tokens', exchanges: 5, honestPercent: 10, ariMin: 0.95 },
  ];
  for (const { name, ariMin, ...options } of cases) {
    it(name, (t) => {
      const { edges, deployments, truth } = plantCrews({ ...base, ...options });
      const alike = edges.map((row) => ({ ...row, kind: 'transfer' }));
      const result = evaluate({
        edges: alike,
        deployments: [...deployments],
        truth: new Map(truth),
      });
      t.diagnostic(
        `ARI ${round(result.ari)} precision ${round(result.pairwisePrecision)} recall ${round(result.pairwiseRecall)} innocents ${result.innocents}`,
      );
      assert.ok(result.ari >= ariMin, `ARI ${round(result.ari)} is below ${ariMin}`);
      assert.ok(result.pairwisePrecision >= 0.99, `precision ${round(result.pairwisePrecision)}`);
    });
  }
});
