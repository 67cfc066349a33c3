import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

// Features, score, attributions and checks of a batch of tokens, beside bare onnxruntime-node and, where `make train` has
// left its Python, xgboost's own attributions, on the same rows, in the same run, each on one thread, in CPU time.

const TOKENS = 1_000;
const ROUNDS = 15;
const AGE_S = 3_600;
const FOLDER = join(projectRoot(), 'pipeline/scorer/model/artifacts');
const TRAINING = join(projectRoot(), '.local/training');
const PYTHON_TIMEOUT_MS = 300_000;

const random = createRandom(77);
const batch: { series: PoolSeries; asOfS: number }[] = Array.from({ length: TOKENS }, () => {
  const syncs = syntheticPool(random);
  const creator = { pools: 0, drained: 0, lastFirstSyncS: undefined };
  const series = { syncs, lp: syntheticLp(random, syncs), creator };
  return { series, asOfS: (syncs[0]?.timestampS ?? 0) + AGE_S };
});
const syncsPerToken = batch.reduce((sum, { series }) => sum + series.syncs.length, 0) / TOKENS;

/** The least CPU time of some rounds, milliseconds: what else the machine does is not counted. */
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

/** Milliseconds of xgboost's `pred_contribs` for the rows, or why there is no such figure. */
const xgboostMs = (rows: Float32Array, columns: number, sha256: string): number | string => {
  const [python, booster] = ['venv/bin/python', 'booster.ubj'].map((name) => join(TRAINING, name));
  if (!python || !booster || !existsSync(python) || !existsSync(booster)) {
    return 'not compared with xgboost: only `make train` installs it, and it has not run here';
  }
  const folder = mkdtempSync(join(tmpdir(), 'tsd-bench-'));
  try {
    const path = join(folder, 'rows.f32');
    writeFileSync(path, rows);
    const script = join(import.meta.dirname, 'contributions.py');
    const args = ['-B', script, booster, path, String(columns), String(ROUNDS), sha256];
    const text = execFileSync(python, args, { encoding: 'utf8', timeout: PYTHON_TIMEOUT_MS });
    return Number.isFinite(Number(text))
      ? Number(text)
      : `not compared with xgboost: ${text.trim()}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

const ofXgboostMs = xgboostMs(rows, columns, model.sha256);

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
if (typeof ofXgboostMs === 'string') {
  console.log(ofXgboostMs);
} else {
  console.log(line("xgboost's own pred_contribs", ofXgboostMs));
  const [shap, all] = [shapMs, allMs].map((ms) => (ms / ofXgboostMs).toFixed(2));
  console.log(`TreeSHAP takes ${shap} × xgboost's time; all of it together ${all} ×`);
}
console.log(`${((1_000 * TOKENS) / allMs).toFixed(0)} tokens/s a core`);
await session.close();
