import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { pricingOf } from '../../shared/platform/config.ts';
import { RECORDED_MARKET, startPipelineStack, startReplay } from '../testing/pipelineStack.ts';
import { DATASET_HEADER, snapshotsOf } from './exportDataset.ts';
import { preparePython, runProgram } from './python.ts';
import { readMarket } from './recordedMarket.ts';
import { retrain } from './retrainModel.ts';
import { blockTimeS } from './syncTable.ts';

// Pools of 2020 through watcher and scorer, then `make retrain` from ClickHouse: the rows, and the model, must be those of
// offline training on the same pools. Prints what it compared; ends with status 1 where anything differs.

const CHAIN_ID = 1;
const SYNCS = 'sync-2020.csv.gz';
const POOLS = join(RECORDED_MARKET, 'pools.csv.gz');
/** Births are read from here: the busiest weeks of the recording. */
const FIRST_BLOCK = 10_900_000;
/** Blocks after the last birth in which outcomes are decided: nine days. */
const OUTCOME_BLOCKS = 60_000;
const RUN_MS = 3_600_000;
const OUTCOMES_MS = 900_000;
/** The scorer writes outcomes once a minute. */
const OUTCOMES_REST_MS = 65_000;

const cellsOf = (line: string): string[] => line.split(',');

/** The Syncs of pools born in the blocks, until their outcomes are known. */
const writeCut = (path: string, blocks: number): number => {
  const [header = '', ...rows] = gunzipSync(readFileSync(join(RECORDED_MARKET, SYNCS)))
    .toString()
    .trimEnd()
    .split('\n');
  const firstSyncs = new Map<string, number>();
  for (const [pool = '', block] of rows.map(cellsOf)) {
    firstSyncs.set(pool, Math.min(Number(block), firstSyncs.get(pool) ?? Number.POSITIVE_INFINITY));
  }
  const lastBirth = FIRST_BLOCK + blocks;
  const lastBlock = lastBirth + OUTCOME_BLOCKS;
  const kept = rows.filter((row) => {
    const [pool = '', block] = cellsOf(row);
    const born = firstSyncs.get(pool) ?? 0;
    return born >= FIRST_BLOCK && born <= lastBirth && Number(block) <= lastBlock;
  });
  writeFileSync(path, gzipSync([header, ...kept].join('\n')));
  return kept.reduce((last, row) => Math.max(last, Number(cellsOf(row)[1])), 0);
};

const decidedPools = async (clickhouse: Clickhouse): Promise<Set<string>> => {
  const rows = await clickhouse.query(
    `SELECT concat('0x', lower(hex(substring(market, 13)))) AS pool_hex FROM token_outcomes FINAL WHERE chain_id = ${CHAIN_ID}`,
    {},
    z.object({ pool_hex: z.string() }),
  );
  return new Set(rows.map(({ pool_hex }) => pool_hex));
};

/** Waits until a minute brings no further outcome. */
const untilDecided = async (clickhouse: Clickhouse): Promise<Set<string>> => {
  let known = new Set<string>();
  const endMs = Date.now() + OUTCOMES_MS;
  while (Date.now() < endMs) {
    await sleep(OUTCOMES_REST_MS);
    const now = await decidedPools(clickhouse);
    if (now.size > 0 && now.size === known.size) return now;
    known = now;
  }
  throw new Error('outcomes are not written');
};

/** The same rows from the recorded files, in the same order. */
const offlineRows = async (syncs: string, pools: ReadonlySet<string>, untilS: number) => {
  const market = await readMarket({ syncs: [syncs], pools: [POOLS], lps: [] });
  return [...market]
    .filter(({ pool }) => pools.has(pool.toLowerCase()))
    .map((one) => ({ ...one, pool: one.pool.toLowerCase(), cohort: `chain ${CHAIN_ID}` }))
    .toSorted((a, b) => a.firstSyncS - b.firstSyncS || (a.pool < b.pool ? -1 : 1))
    .flatMap((one) => snapshotsOf(one, untilS).map(({ line }) => line));
};

/** @throws AssertionError that names the first row and column in which they differ */
const assertSameRows = (stored: readonly string[], offline: readonly string[]): void => {
  const names = cellsOf(DATASET_HEADER);
  const byKey = new Map(offline.map((line) => [keyOf(line), line]));
  for (const line of stored) {
    const expected = cellsOf(byKey.get(keyOf(line)) ?? '');
    cellsOf(line).forEach((cell, i) => {
      assert.equal(cell, expected[i], `${keyOf(line)}: ${names[i]}`);
    });
  }
  assert.equal(stored.length, offline.length, 'rows');
  assert.deepEqual(stored.map(keyOf), offline.map(keyOf), 'their order');
};

/** Pool and age of a row. */
const keyOf = (line: string): string => {
  const cells = cellsOf(line);
  return `${cells[0]} ${cells[5]}`;
};

const readRows = (path: string): string[] =>
  readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);

/** Trains offline on the rows with the settings of `retrain`. */
const trainOffline = (python: string, online: string, rows: readonly string[]): string => {
  const folder = join(online, 'offline');
  mkdirSync(folder);
  const dataset = join(folder, 'dataset.csv');
  writeFileSync(dataset, `${[DATASET_HEADER, ...rows].join('\n')}\n`);
  const given = [join(online, 'in_force.csv'), join(online, 'options.json')];
  const script = join(import.meta.dirname, 'retrain.py');
  runProgram(python, ['-B', script, dataset, ...given, folder]);
  return createHash('sha256')
    .update(readFileSync(join(folder, 'model.onnx')))
    .digest('hex');
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      blocks: { type: 'string', default: '40000' },
      work: { type: 'string', default: '.local/training' },
    },
  });
  const python = preparePython(join(values.work, 'venv'));
  const folder = mkdtempSync(join(tmpdir(), 'learning-'));
  const syncs = join(folder, 'sync.csv.gz');
  const lastBlock = writeCut(syncs, Number(values.blocks));
  const stack = await startPipelineStack();
  const replay = await startReplay(['market', syncs, POOLS]);
  try {
    const environment = {
      RPC_URL: replay.url,
      CHAIN_ID: String(CHAIN_ID),
      START_BLOCK: String(FIRST_BLOCK - 1),
    };
    stack.start('watcher', environment);
    stack.start('scorer', environment);
    await stack.untilScored(CHAIN_ID, lastBlock, RUN_MS);
    const pools = await untilDecided(stack.clickhouse);
    const online = join(folder, 'online');
    const pricing = pricingOf({ CHAIN_ID });
    const made = await retrain(stack.clickhouse, CHAIN_ID, pricing, { folder: online, python });
    const offline = await offlineRows(syncs, pools, blockTimeS(lastBlock));
    assertSameRows(readRows(join(online, 'dataset.csv')), offline);
    const sha256 = trainOffline(python, online, offline);
    assert.equal(made.entry.sha256, sha256, 'the model');
    console.log(readFileSync(made.card, 'utf8'));
    console.log(
      `${offline.length} rows of ${pools.size} pools are the same to the last digit, and so is the model: ${sha256}`,
    );
  } finally {
    await stack.stop();
    await replay.process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

await main();
