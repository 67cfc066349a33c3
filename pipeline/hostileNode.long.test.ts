import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { FACT_TOPICS } from '../shared/decode/decodeLog.ts';
import { TOPIC } from '../shared/decode/topic.ts';
import { decodeChainEvent } from '../shared/messages/chainMessage.ts';
import { chainStream } from '../shared/messages/subjects.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import { readStream } from '../shared/testing/stores.ts';
import {
  type HostileNode,
  type Hostility,
  startHostileNode,
} from './testing/hostile/hostileNode.ts';
import { refuseWith } from './testing/hostile/rangeRefusals.ts';
import {
  createSyntheticChain,
  SYNTHETIC_TOKENS,
  type SyntheticChain,
} from './testing/hostile/syntheticChain.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const CHAIN_ID = 1;
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
/** Blocks below the head at the start; `make lies` reads more. */
const BLOCKS = Number(process.env['HOSTILE_BLOCKS'] ?? 640);
/** Head at the start, final head, and speed in between. */
const HEAD_AT_START = 20_960;
const HEAD_AT_END = 21_000;
const BLOCKS_PER_S = 8;
const RUN_MS = 360_000;
/** `make lies LIES=1000` serves more than the default. */
const LIES = Number(process.env['LIES'] ?? 60);
/** Blocks read in full per request; every second request is answered with a lie. */
const BLOCKS_PER_LIE = 8;
/** A lie costs a pause, a slow one twenty seconds. */
const LIE_MS = 1_000;

/** A chain whose head begins to move when `release` is called. */
const createMovingChain = (blocks: number): { chain: SyntheticChain; release: () => void } => {
  let releasedAtMs: number | undefined;
  const moved = (): number =>
    releasedAtMs === undefined ? 0 : ((Date.now() - releasedAtMs) / 1000) * BLOCKS_PER_S;
  return {
    chain: createSyntheticChain({
      id: CHAIN_ID,
      first: HEAD_AT_START - blocks,
      head: () => Math.min(HEAD_AT_END, HEAD_AT_START + Math.floor(moved())),
      weth: WETH,
    }),
    release: () => (releasedAtMs = Date.now()),
  };
};

const byKey = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const linesOf = async (stack: PipelineStack, sql: string): Promise<string[]> => {
  const rows = await stack.clickhouse.query(sql, {}, z.record(z.union([z.string(), z.number()])));
  return rows.map((row) => Object.values(row).join(' ')).toSorted(byKey);
};

/** The rows of a topic according to the chain. */
const wantedLines = (chain: SyntheticChain, topic: string, topics: number): string[] =>
  chain
    .logs(chain.first, HEAD_AT_END, FACT_TOPICS)
    .filter((log) => log.topics[0] === topic && log.topics.length === topics)
    .map((log) => {
      const words = (log.data.slice(2).match(/.{64}/g) ?? []).map((one) => BigInt(`0x${one}`));
      const place = `${Number(log.blockNumber)} ${log.blockHash} ${Number(log.logIndex)}`;
      const addresses = log.topics.slice(1).map((one) => `0x${one.slice(26)}`);
      return [place, log.address, ...addresses, ...words].join(' ');
    })
    .toSorted(byKey);

const assertExactRows = async (stack: PipelineStack, chain: SyntheticChain): Promise<void> => {
  const place = 'block_number, block_hash, log_index';
  const transfers = await linesOf(
    stack,
    `SELECT ${place}, token, from_address, to_address, toString(value) AS amount FROM transfers`,
  );
  const syncs = await linesOf(
    stack,
    `SELECT ${place}, pool, toString(reserve0) AS a, toString(reserve1) AS b FROM pool_events`,
  );
  assert.deepEqual(transfers, wantedLines(chain, TOPIC.transfer, 3));
  assert.deepEqual(syncs, wantedLines(chain, TOPIC.sync, 1));
  const [pools, tokens, verdicts] = await Promise.all([
    linesOf(stack, 'SELECT pool FROM pools'),
    linesOf(stack, 'SELECT token FROM tokens'),
    linesOf(stack, 'SELECT token FROM verdicts'),
  ]);
  assert.equal(pools.length, SYNTHETIC_TOKENS);
  assert.equal(tokens.length, SYNTHETIC_TOKENS + 1, 'the tokens and the wrapped native one');
  assert.deepEqual(verdicts, tokens);
};

/** Kinds of the events published for the chain. */
const publishedKinds = async (stack: PipelineStack): Promise<Set<string>> => {
  const entries = await readStream(stack.nats, chainStream(CHAIN_ID));
  return new Set(entries.map(({ data }) => decodeChainEvent(data).kind));
};

interface Outcome {
  readonly nodes: readonly HostileNode[];
  readonly kinds: ReadonlySet<string>;
}

/** Lets watcher and scorer follow the chain through the nodes, and checks every row at the end. */
const follow = async (
  hostilities: readonly Hostility[],
  environment: Record<string, string> = {},
  blocks = BLOCKS,
): Promise<Outcome> => {
  const { chain, release } = createMovingChain(blocks);
  const stack = await startPipelineStack();
  const nodes = await Promise.all(
    hostilities.map((hostility, i) => startHostileNode(chain, hostility, i + 1)),
  );
  try {
    const common = {
      RPC_URL: nodes.map(({ url }) => url).join(','),
      CHAIN_ID: String(CHAIN_ID),
      START_BLOCK: String(chain.first),
      POLL_INTERVAL_MS: '100',
      ...environment,
    };
    stack.start('watcher', common);
    stack.start('scorer', common);
    const lies = nodes.flatMap((node) => node.lies ?? []);
    const runMs = RUN_MS + lies.length * LIES * LIE_MS;
    await stack.untilScored(CHAIN_ID, HEAD_AT_START, runMs, [WETH]);
    release();
    await stack.untilScored(CHAIN_ID, HEAD_AT_END, runMs, [WETH]);
    await until('all lies served', () => lies.every((one) => one.isDone()) || undefined, RUN_MS);
    await assertExactRows(stack, chain);
    return { nodes, kinds: await publishedKinds(stack) };
  } finally {
    await stack.stop();
    await Promise.all(nodes.map((node) => node.stop()));
  }
};

/** Slow, limited in size and rate, and unreliable; each lie and omission is served once. */
const BAD: Hostility = {
  latencyMs: 30,
  callsPerS: 100,
  failingShare: 0.05,
  refusedShare: 0.01,
  omitsEvery: 4,
  range: { blocksMax: 100, refuse: refuseWith('E-4711: das war zu viel') },
  // Served by every node: which of them is asked for a block depends on their speed.
  parentLies: new Map([
    [HEAD_AT_START + 10, 'unknown'],
    [HEAD_AT_START + 25, 'grandparent'],
  ]),
};

const sumOf = (nodes: readonly HostileNode[], count: keyof HostileNode['counts']): number =>
  nodes.reduce((sum, { counts }) => sum + counts[count], 0);

const COUNTS_MET = [
  'refusedRanges',
  'rateLimited',
  'failed',
  'refusedCalls',
  'omitted',
  'parentLies',
] as const;

// Each mostly waits for pauses and time-outs.
describe('hostile nodes', { concurrency: 2 }, () => {
  it('are read to the end, to the row, and take nothing back', async () => {
    const { nodes, kinds } = await follow([BAD, { ...BAD, lagBlocks: 5 }]);
    for (const count of COUNTS_MET) {
      assert.ok(sumOf(nodes, count) > 0, `${count} was met`);
    }
    assert.ok(!kinds.has('reorg'), 'no false reorg');
    assert.ok(kinds.has('blocks') && kinds.has('finalize'));
  });

  it(`may be one alone that serves ${LIES} lies: no row is wrong`, async (context) => {
    const { nodes } = await follow(
      [{ lies: LIES }],
      { BACKFILL_DETAIL: 'full' },
      LIES * BLOCKS_PER_LIE,
    );
    const served = [...(nodes[0]?.lies?.served ?? [])];
    for (const [name, times] of served) context.diagnostic(`${String(times).padStart(5)} ${name}`);
    const total = served.reduce((sum, [, times]) => sum + times, 0);
    context.diagnostic(
      `${total} lies of ${served.length} kinds in ${sumOf(nodes, 'requests')} requests`,
    );
    assert.ok(total >= LIES);
    assert.ok(
      served.some(([name]) => name === 'silence'),
      'lies without an end are among them',
    );
  });
});
