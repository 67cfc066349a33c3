import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Clickhouse } from '../shared/platform/clickhouse.ts';
import { programArgs } from '../shared/testing/pipelineProcess.ts';
import { tempFolder } from '../shared/testing/tempFolder.ts';
import { HORIZONS_S } from './scorer/horizon/horizons.ts';
import {
  type PipelineStack,
  RECORDED_MARKET,
  type Replay,
  readReplay,
  skipUnless,
  startPipelineStack,
  startReplay,
} from './testing/pipelineStack.ts';
import { blockTimeS } from './training/syncTable.ts';

const CHAIN_ID = 1;
const RUN_MS = 360_000;
const EVALUATION_MS = 180_000;
const PROBABILITY_DIFFERENCE_MAX = 1e-6;
const POOLS = join(RECORDED_MARKET, 'pools.csv.gz');
/** Blocks of the run, twice those of the longest horizon: `make market` reads more. */
const MARKET_BLOCKS = Number(process.env['MARKET_BLOCKS'] ?? 15_000);
/** Pools born in them are followed to its end. */
const LAST_BLOCK = 13_340_000;
const FIRST_BLOCK = LAST_BLOCK - MARKET_BLOCKS;
/** A pool is created every 150 blocks, and most pass at least three horizons. */
const BLOCKS_A_VERDICT_MAX = 100;

const linesOf = (path: string): string[] =>
  gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
const cellsOf = (line: string): string[] => line.split(',');

/** The block of each pool's first Sync, for pools created in the run. */
const firstSyncsOf = (syncs: readonly string[]): Map<string, number> => {
  const firstSyncs = new Map<string, number>();
  for (const [pool = '', text] of syncs.map(cellsOf)) {
    firstSyncs.set(pool, Math.min(Number(text), firstSyncs.get(pool) ?? Number.POSITIVE_INFINITY));
  }
  return new Map(
    [...firstSyncs].filter(([, block]) => block >= FIRST_BLOCK && block <= LAST_BLOCK),
  );
};

/** Writes the rows of a recording that belong to the run. */
const writeCut = (name: string, path: string, firstSyncs: ReadonlyMap<string, number>): void => {
  const [header = '', ...rows] = linesOf(join(RECORDED_MARKET, name));
  const kept = rows.filter((row) => {
    const [pool = '', block] = cellsOf(row);
    return firstSyncs.has(pool) && Number(block) <= LAST_BLOCK;
  });
  writeFileSync(path, gzipSync([header, ...kept].join('\n')));
};

/** Files of the run, for the replay and for the evaluator alike. */
interface Recording {
  readonly syncs: string;
  readonly transfers: string;
}

/** Probabilities by pool, as `make evaluate` writes them. */
const evaluate = (
  folder: string,
  { syncs, transfers }: Recording,
  horizonS: number,
): Map<string, number> => {
  const out = join(folder, `${horizonS}.csv`);
  const files = ['--sync', syncs, '--pools', POOLS, '--lp', transfers];
  const done = spawnSync(
    process.execPath,
    [
      ...programArgs('pipeline/training/evaluate.ts'),
      ...files,
      '--at',
      String(horizonS),
      '--out',
      out,
    ],
    { encoding: 'utf8', timeout: EVALUATION_MS },
  );
  assert.equal(done.status, 0, done.stderr);
  const [, ...lines] = readFileSync(out, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [pool = '', probability] = line.split(',');
      return [pool, Number(probability)];
    }),
  );
};

/** The market evidence of the verdicts at horizons, by token and horizon. */
const scored = async (clickhouse: Clickhouse): Promise<Map<string, number>> => {
  const rows = await clickhouse.query(
    `SELECT concat('0x', lower(hex(h.token)), ' ', toString(h.horizon_s)) AS name,
       h.features['market_probability'] AS probability, h.trigger AS made_by
     FROM verdict_history AS h FINAL WHERE h.chain_id = {chainId:UInt64} AND h.horizon_s > 0`,
    { chainId: CHAIN_ID },
    z.object({
      name: z.string(),
      probability: z.number(),
      made_by: z.string().startsWith('horizon:'),
    }),
  );
  return new Map(rows.map(({ name, probability }) => [name, probability]));
};

describe('the market of 2021 at each horizon', { skip: skipUnless(RECORDED_MARKET) }, () => {
  const folder = tempFolder();
  let stack: PipelineStack;
  let replay: Replay | undefined;
  let recording: Recording;
  let firstSyncs: ReadonlyMap<string, number>;
  /** The last block of the recording: where the chain ends. */
  let lastBlock = 0;

  before(async () => {
    recording = { syncs: join(folder, 'sync.csv.gz'), transfers: join(folder, 'lp.csv.gz') };
    firstSyncs = firstSyncsOf(linesOf(join(RECORDED_MARKET, 'sync-2021-early.csv.gz')).slice(1));
    writeCut('sync-2021-early.csv.gz', recording.syncs, firstSyncs);
    writeCut('lp-transfers-2021-early.csv.gz', recording.transfers, firstSyncs);
    const blocks = linesOf(recording.syncs)
      .slice(1)
      .map((row) => Number(cellsOf(row)[1]));
    lastBlock = blocks.reduce((a, b) => Math.max(a, b));
    const firstBlock = blocks.reduce((a, b) => Math.min(a, b));
    stack = await startPipelineStack();
    replay = await startReplay(['market', recording.syncs, POOLS, recording.transfers]);
    // The replayed chain begins one block before its first event.
    readReplay(stack, replay, { chainId: CHAIN_ID, startBlock: firstBlock - 1 });
    await stack.untilScored(CHAIN_ID, lastBlock, RUN_MS);
  });
  after(async () => {
    await stack?.stop();
    await replay?.process.stop();
  });

  it('gives what the evaluator gives, for every pool that passed the horizon', async (context) => {
    const tokens = new Map(
      linesOf(POOLS)
        .map(cellsOf)
        .map(([, pool = '', token = '']) => [pool, token]),
    );
    const found = await scored(stack.clickhouse);
    let compared = 0;
    let largest = 0;
    for (const horizonS of HORIZONS_S) {
      for (const [pool, expected] of evaluate(folder, recording, horizonS)) {
        const firstSyncS = blockTimeS(firstSyncs.get(pool) ?? 0);
        const name = `${tokens.get(pool)} ${horizonS}`;
        const probability = found.get(name);
        if (firstSyncS + horizonS >= blockTimeS(lastBlock)) {
          assert.equal(probability, undefined, `${name} is not passed`);
          continue;
        }
        assert.ok(probability !== undefined, `${name} has no verdict`);
        largest = Math.max(largest, Math.abs(probability - expected));
        assert.ok(
          Math.abs(probability - expected) <= PROBABILITY_DIFFERENCE_MAX,
          `${name}: ${probability} through the pipeline, ${expected} by the evaluator`,
        );
        compared += 1;
      }
    }
    assert.equal(compared, found.size, 'and no other');
    assert.ok(compared > MARKET_BLOCKS / BLOCKS_A_VERDICT_MAX, `${compared} compared`);
    context.diagnostic(
      `${compared} verdicts of ${firstSyncs.size} pools, at most ${largest} apart`,
    );
  });
});
