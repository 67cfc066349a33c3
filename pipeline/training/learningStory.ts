import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Hex } from '../../shared/chain/block.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { DAY_S } from '../../shared/platform/durations.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { sentence } from '../../shared/sentences/sentence.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import type { TradeSimulation } from '../scorer/checks/checkInput.ts';
import { createScorer, type Scorer } from '../scorer/createScorer.ts';
import type { LearningReport } from '../scorer/learning/learner.ts';
import { loadContractModel, loadLifeModel, loadShippedModel } from '../scorer/model/loadModel.ts';
import type { Model } from '../scorer/model/model.ts';
import { horizonsLeft } from '../testing/pipelineStack.ts';
import { promote } from './promoteModel.ts';
import { preparePython } from './python.ts';
import { retrain } from './retrainModel.ts';
import { createSimulatedLaunches, type Fashion } from './simulatedLaunches.ts';
import { createRandom } from './syntheticPools.ts';

// Launches in simulated time, scored by the scorer's own code; models trained by `retrain` from ClickHouse only. The
// pattern of launches changes in the second of three weeks, and changes back after the model was replaced. Exits with
// status 1 if an expectation fails.

const CHAIN_ID = 31_337;
const START_S = 1_700_000_000;
const WETH: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const PRICING = { weth: WETH, stables: [], nativePriceUsd: 2_000 };
const SEED = 11;
const OLD: Fashion = { little: 0.6, isLittleRug: true };
const NEW: Fashion = { little: 0.25, isLittleRug: false };
/** Thresholds of the alarms in deploy/prometheus/rules.yml. */
const STABILITY_MAX = 0.25;
const CHI_SQUARE_MAX = 20.5;
const ERROR_MAX = 0.1;
/** Longer than a scorer uses a model before it checks the registry again. */
const REGISTRY_MS = 31_000;
const SCORING_MS = 1_800_000;
const LOOK_MS = 200;
/** Tokens that the outcome recorder examines per round. */
const OUTCOMES_PER_ROUND = 500;

const NOT_SIMULATED: TradeSimulation = { kind: 'unknown', reason: sentence('behindHead') };

/** The scorer works until it has scored all horizons that the stored facts have reached. */
const scoreHorizons = async (scorer: Scorer, clickhouse: Clickhouse) => {
  const stop = new AbortController();
  const running = scorer.loop.run(stop.signal);
  const endMs = Date.now() + SCORING_MS;
  for (;;) {
    if ((await horizonsLeft(clickhouse, CHAIN_ID)) === 0) break;
    if (Date.now() > endMs) throw new Error('horizons are not scored');
    await Promise.race([sleep(LOOK_MS), running]);
  }
  stop.abort();
  await running;
};

const isMiscalibrated = ({ calibration }: LearningReport): boolean =>
  calibration !== undefined &&
  calibration.chiSquare > CHI_SQUARE_MAX &&
  calibration.error > ERROR_MAX;

const describeReport = (report: LearningReport): string => {
  const { calibration, stability, shadows, model } = report;
  const [worst] = [...stability].toSorted(([, a], [, b]) => b - a);
  const parts = [
    model.name,
    worst ? `stability index ${worst[1].toFixed(2)} (${worst[0]})` : 'stability not measured',
    calibration
      ? `${calibration.tokens} tokens decided: error ${calibration.error.toFixed(3)}, chi-square ${calibration.chiSquare.toFixed(1)}`
      : 'no week decided',
    ...shadows.map(({ role, comparison: { tokens, gain, gainMin } }) => {
      return `${role}: ${tokens} tokens, gain ${gain.toFixed(3)}, at least ${gainMin.toFixed(3)}`;
    }),
  ];
  return parts.join('; ');
};

/** A chain with its scorer, and a clock that can be advanced. */
const openWorld = async (clickhouse: Clickhouse, shipped: Model) => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const place = { clickhouse, chainId: CHAIN_ID };
  const random = createRandom(SEED);
  const chain = createSimulatedLaunches({ ...place, weth: WETH, startS: START_S, random });
  const lifeModel = await loadLifeModel();
  const codeModel = await loadContractModel();
  /**
   * A newly started scorer: a running one learns from the stream how far the chain is stored, and these launches are
   * not streamed.
   */
  const startScorer = () =>
    createScorer({
      ...place,
      node: {
        batch: async (calls) => calls.map(() => ({ ok: false, code: -32_000, message: 'no node' })),
      },
      factories: null,
      shipped: { model: shipped, lifeModel },
      codeModel,
      pricing: PRICING,
      priorScamRate: undefined,
      simulations: {
        simulate: async (requests) => requests.map(() => NOT_SIMULATED),
        tryHolders: async () => [],
      },
      publish: async () => undefined,
      log: { replay: async function* () {} },
      clock,
      logger: silentLogger,
    });
  const day = (): number => Math.round((chain.nowS() - START_S) / DAY_S);
  return {
    chain,
    day,
    /** Days of launches, scored, with the outcomes known so far. */
    pass: async (title: string, days: number, perDay: number, fashion: Fashion) => {
      await chain.advance(days, perDay, fashion);
      const scorer = startScorer();
      await scoreHorizons(scorer, clickhouse);
      const rounds = Math.ceil(chain.launched() / OUTCOMES_PER_ROUND) + 1;
      for (let i = 0; i < rounds; i += 1) await scorer.outcomes.round();
      while ((await scorer.learner.scoreShadows()) > 0);
      const report = await scorer.learner.look();
      assert.ok(report);
      console.log(`day ${day()}, ${title}: ${describeReport(report)}`);
      return report;
    },
    promote: async (name: string, isForced = false): Promise<void> => {
      const order = { name, isForced };
      const { promoted, replaced } = await promote(
        clickhouse,
        CHAIN_ID,
        order,
        shipped,
        clock.now(),
      );
      aheadMs += REGISTRY_MS;
      console.log(`day ${day()}: ${promoted.name} takes the place of ${replaced.name}`);
    },
  };
};

const stabilityMax = ({ stability }: LearningReport): number => Math.max(...stability.values());

const isBetter = ({ shadows }: LearningReport, wanted: 'candidate' | 'previous'): boolean =>
  shadows.some(({ role, comparison }) => role === wanted && comparison.isBetter);

/** The whole scenario; `train` returns the hash of a candidate. */
const play = async (
  { chain, day, pass, promote }: Awaited<ReturnType<typeof openWorld>>,
  train: () => Promise<string>,
  perDay: number,
): Promise<void> => {
  await pass('before the story', 24, perDay, OLD);
  const first = await train();
  await promote(first, true);
  await pass('first week', 7, perDay, OLD);
  const drifted = await pass('second week, another fashion', 7, perDay, NEW);
  assert.ok(stabilityMax(drifted) > STABILITY_MAX, 'alarm ModelDrift');
  const wrong = await pass('third week, its outcomes come in', 9, perDay, NEW);
  assert.ok(isMiscalibrated(wrong), 'alarm ModelMiscalibrated');
  const second = await train();
  await assert.rejects(promote(second), /has not passed the test/);
  const shadowed = await pass('the candidate in the shadow', 17, perDay, NEW);
  assert.ok(isBetter(shadowed, 'candidate'), 'alarm CandidateBetter');
  await promote(second);
  const right = await pass('the candidate in force', 15, perDay, NEW);
  assert.ok(!isMiscalibrated(right), 'calibration returned');
  const worse = await pass('the old fashion again', 36, perDay, OLD);
  assert.ok(isBetter(worse, 'previous'), 'alarm PreviousModelBetter');
  await promote('previous');
  const back = await pass('taken back', 15, perDay, OLD);
  assert.ok(!isMiscalibrated(back), 'calibration returned');
  assert.equal(back.model.sha256, first);
  console.log(
    `${chain.launched()} tokens in ${day()} days: drift seen, model replaced, calibration back, model taken back`,
  );
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      tokens: { type: 'string', default: '60' },
      work: { type: 'string', default: '.local/training' },
    },
  });
  const python = preparePython(join(values.work, 'venv'));
  const folder = mkdtempSync(join(tmpdir(), 'learning-'));
  const server = await startMigratedClickhouse();
  const clickhouse = createClickhouse({ url: server.url });
  const train = async (): Promise<string> => {
    const made = await retrain(clickhouse, CHAIN_ID, PRICING, { folder, python });
    for (const card of made.cards) console.log(readFileSync(card, 'utf8'));
    return made.entry.sha256;
  };
  try {
    const world = await openWorld(clickhouse, await loadShippedModel());
    await play(world, train, Number(values.tokens));
  } finally {
    await clickhouse.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

await main();
