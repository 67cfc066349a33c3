import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from '../../pipeline/scorer/checks/checks.ts';
import { poolFeatures } from '../../pipeline/scorer/features/poolFeatures.ts';
import type { PoolSeries } from '../../pipeline/scorer/features/poolSync.ts';
import { parseForest } from '../../pipeline/scorer/model/forest.ts';
import { loadModel, openOnnx } from '../../pipeline/scorer/model/loadModel.ts';
import { createTreeShap } from '../../pipeline/scorer/model/treeShap.ts';
import { checkInputOf, contractOf } from '../../pipeline/scorer/testing/checkInputOf.ts';
import {
  createRandom,
  syntheticLp,
  syntheticPool,
} from '../../pipeline/training/syntheticPools.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

// Features, score, attributions and checks of a batch of tokens, compared with bare onnxruntime-node on the same rows
// in the same run, each on one thread, in CPU time.

const TOKENS = 1_000;
const ROUNDS = 15;
const AGE_S = 3_600;
const FOLDER = join(projectRoot(), 'pipeline/scorer/model/artifacts');

const random = createRandom(77);
const batch: { series: PoolSeries; asOfS: number }[] = Array.from({ length: TOKENS }, () => {
  const syncs = syntheticPool(random);
  const creator = { pools: 0, drained: 0, lastFirstSyncS: undefined };
  const series = { syncs, lp: syntheticLp(random, syncs), creator };
  return { series, asOfS: (syncs[0]?.timestampS ?? 0) + AGE_S };
});
const syncsPerToken = batch.reduce((sum, { series }) => sum + series.syncs.length, 0) / TOKENS;

/** The lowest CPU time of several rounds, milliseconds, so that other work on the machine does not count. */
const leastMs = async (work: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1_000);
  }
  return Math.min(...times);
};

const model = await loadModel(FOLDER);
const session = await openOnnx(readFileSync(join(FOLDER, 'model.onnx')), 'model.onnx');
const explain = createTreeShap(
  parseForest(JSON.parse(readFileSync(join(FOLDER, 'trees.json'), 'utf8'))),
);
const featuresOf = (): Float64Array[] =>
  batch.map(({ series, asOfS }) => poolFeatures(series, asOfS));
const columns = model.featureNames.length;
const vectors = featuresOf();
const rows = Float32Array.from(vectors.flatMap((vector) => [...vector]));

const onnxMs = await leastMs(() => session.margins(rows, columns));
const featuresMs = await leastMs(featuresOf);
const shapMs = await leastMs(() => explain(rows));
const contract = contractOf();
const checksOf = () =>
  batch.map((_, i) => runChecks(checkInputOf({ name: `Token ${i}`, symbol: `T${i}`, contract })));
const checksMs = await leastMs(checksOf);
const allMs = await leastMs(async () => [await model.predict(featuresOf()), checksOf()]);

const line = (what: string, ms: number): string =>
  `${what.padEnd(44)} ${ms.toFixed(1).padStart(7)} ms ${(ms / onnxMs).toFixed(2).padStart(7)} × onnxruntime`;
console.log(
  `${TOKENS} tokens, ${syncsPerToken.toFixed(0)} Syncs each, one thread, CPU time, least of ${ROUNDS}`,
);
console.log(line('bare onnxruntime-node on the same rows', onnxMs));
console.log(line('features', featuresMs));
console.log(line('TreeSHAP', shapMs));
console.log(line('checks, without simulations', checksMs));
console.log(line('features + ONNX + trees + TreeSHAP + checks', allMs));
console.log(`${((1_000 * TOKENS) / allMs).toFixed(0)} tokens/s a core`);
await session.close();
