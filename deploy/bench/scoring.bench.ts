import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { poolFeatures } from '../../pipeline/scorer/features/poolFeatures.ts';
import type { PoolSeries } from '../../pipeline/scorer/features/poolSync.ts';
import { loadModel } from '../../pipeline/scorer/loadModel.ts';
import { parseForest } from '../../pipeline/scorer/model/forest.ts';
import { createTreeShap } from '../../pipeline/scorer/model/treeShap.ts';
import { syntheticLp } from '../../pipeline/training/syntheticLp.ts';
import { createRandom, syntheticPool } from '../../pipeline/training/syntheticPools.ts';
import { openOnnxSession } from '../../shared/adapters/onnx.ts';
import { projectRoot } from '../../shared/runtime/projectRoot.ts';

// Features, score and attributions of a batch of tokens, beside bare onnxruntime-node on the same rows.

const TOKENS = 1_000;
const ROUNDS = 15;
const AGE_S = 3_600;
const FOLDER = join(projectRoot(), 'pipeline/scorer/model/artifacts');

const random = createRandom(77);
const batch: { series: PoolSeries; asOfS: number }[] = Array.from({ length: TOKENS }, () => {
  const syncs = syntheticPool(random);
  const creator = { pools: 0, drained: 0, lastBornS: undefined };
  const series = { syncs, lp: syntheticLp(random, syncs), creator };
  return { series, asOfS: (syncs[0]?.timestampS ?? 0) + AGE_S };
});
const syncsPerToken = batch.reduce((sum, { series }) => sum + series.syncs.length, 0) / TOKENS;

/** The fastest of some rounds, milliseconds: others only add what else the machine did. */
const fastestMs = async (work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return Math.min(...times);
};

const model = await loadModel(FOLDER);
const session = await openOnnxSession(join(FOLDER, 'model.onnx'));
const explain = createTreeShap(
  parseForest(JSON.parse(readFileSync(join(FOLDER, 'trees.json'), 'utf8'))),
);
const featuresOf = (): Float64Array[] =>
  batch.map(({ series, asOfS }) => poolFeatures(series, asOfS));
const columns = model.featureNames.length;
const vectors = featuresOf();
const rows = Float32Array.from(vectors.flatMap((vector) => [...vector]));

const onnxMs = await fastestMs(() => session.margins(rows, columns));
const featuresMs = await fastestMs(featuresOf);
const shapMs = await fastestMs(() => explain(rows));
const allMs = await fastestMs(() => model.predict(featuresOf()));

const line = (what: string, ms: number): string =>
  `${what.padEnd(44)} ${ms.toFixed(1).padStart(7)} ms ${(ms / onnxMs).toFixed(2).padStart(7)} × onnxruntime`;
console.log(
  `${TOKENS} tokens, ${syncsPerToken.toFixed(0)} Syncs each, one thread, fastest of ${ROUNDS}`,
);
console.log(line('bare onnxruntime-node on the same rows', onnxMs));
console.log(line('features', featuresMs));
console.log(line('TreeSHAP', shapMs));
console.log(line('features + ONNX + trees + TreeSHAP + checks', allMs));
console.log(`${((1_000 * TOKENS) / allMs).toFixed(0)} tokens/s a core`);
await session.close();
