import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ClusterAgreement,
  compareClusters,
} from '../../shared/testing/rings/compareClusters.ts';
import type { PlantedWorld } from '../../shared/testing/rings/plantedWorld.ts';
import { LABELLED, PLAIN } from '../../shared/testing/rings/plantedWorld.ts';
import { plantRings } from '../../shared/testing/rings/plantRings.ts';
import { RING_STYLES, type RingStyle } from '../../shared/testing/rings/ringStyles.ts';
import { mapKind } from './evaluate/mapKind.ts';
import { createNames } from './evaluate/names.ts';
import { evaluateRings } from './evaluateRings.ts';

const evaluate = (world: PlantedWorld): ClusterAgreement => {
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
        assert.ok(result.pairwisePrecision >= 0.99);
        assert.ok(result.ari >= 0.95);
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
        assert.ok(result.ari >= 0.9);
      });
    }
  }
});
