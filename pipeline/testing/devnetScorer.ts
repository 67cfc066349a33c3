import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { type Check, type VerdictDoc, verdictDocSchema } from '../../shared/messages/verdictDoc.ts';
import { type Clickhouse, createClickhouse } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { createRpcChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { createEndpoint } from '../../shared/platform/rpc/endpoint.ts';
import { createEndpointPool } from '../../shared/platform/rpc/endpointPool.ts';
import { createHttpPost } from '../../shared/platform/rpc/httpPost.ts';
import { createDevnet, type Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { startAnvil } from '../../shared/testing/services.ts';
import { createScorer, type ScorerParts } from '../scorer/createScorer.ts';
import { loadContractModel, loadLifeModel, loadShippedModel } from '../scorer/model/loadModel.ts';
import { createSimulations } from '../scorer/simulation/simulations.ts';
import type { ChainNode } from '../scorer/token/tokenReader.ts';
import { rangeOfBlocks } from '../watcher/blockRange.ts';
import { DEVNET_BASES, readDue } from './chaos/storedState.ts';

export const CHAIN_ID = 31_337;
const SCORED_MS_MAX = 120_000;
const { weth, stable } = DEVNET_ADDRESSES;

const verdictSql = `SELECT v.prediction AS prediction, v.doc AS doc FROM token_verdicts AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.token = toFixedString(unhex({token:String}), 20)`;
const verdictSchema = z.object({ prediction: z.enum(['SCAM', 'LEGIT']), doc: z.string() });

/** A stored verdict. */
interface DevnetVerdict {
  readonly prediction: 'SCAM' | 'LEGIT';
  readonly doc: VerdictDoc;
}

/** A block of a devnet by its height. */
const blockOf = async ({ publicClient }: Devnet, number: number) => {
  const { hash, timestamp } = await publicClient.getBlock({ blockNumber: BigInt(number) });
  return { number, hash, timestampS: Number(timestamp) };
};

/** Replaces the last blocks of a devnet by empty ones. */
const reorgOf = async (devnet: Devnet, head: number, depth: number) => {
  const ancestor = await blockOf(devnet, head - depth);
  const numbers = Array.from({ length: depth }, (_, i) => ancestor.number + 1 + i);
  const orphaned = await Promise.all(numbers.map((number) => blockOf(devnet, number)));
  await devnet.reorg(depth);
  return { kind: 'reorg', chainId: CHAIN_ID, ancestor, orphaned } as const;
};

const openNode = (url: string) => {
  const endpoint = createEndpoint({ http: createHttpPost(url), clock: systemClock });
  const pool = createEndpointPool([endpoint], systemClock);
  const node: ChainNode = { batch: (calls) => pool.run((one) => one.call(calls)) };
  return { pool, node };
};

const startServers = (genesis: number) =>
  Promise.all([startAnvil({ args: ['--number', String(genesis)] }), startMigratedClickhouse()]);

/** Lets a scorer work until a condition holds. */
export const runUntil = async (
  loop: ReturnType<typeof createScorer>['loop'],
  isDone: () => Promise<boolean>,
): Promise<void> => {
  const stopping = new AbortController();
  const running = loop.run(stopping.signal);
  const ask = async () => (await isDone()) || undefined;
  await until('the scorer is done', ask, SCORED_MS_MAX).finally(() => stopping.abort());
  await running;
};

/** Verdicts on tokens of a devnet. @param takeIn passes new events to the scorer */
const createJudge = (
  clickhouse: Clickhouse,
  takeIn: () => Promise<void>,
  { analyze }: ReturnType<typeof createScorer>['analyzer'],
) => {
  /** The last verdict stored on a token. */
  const verdict = async (token: Hex): Promise<DevnetVerdict> => {
    const params = { chainId: CHAIN_ID, token: token.slice(2) };
    const [row] = await clickhouse.query(verdictSql, params, verdictSchema);
    assert(row, `a verdict on ${token}`);
    return { prediction: row.prediction, doc: verdictDocSchema.parse(JSON.parse(row.doc)) };
  };
  /** Passes all events, and scores a token in its current state. */
  const score = async (token: Hex): Promise<DevnetVerdict> => {
    await takeIn();
    await analyze(token);
    return verdict(token);
  };
  /**
   * The same, with an expected result.
   * @param failed all checks that fail with more than information, if they are named
   */
  const scored = async (
    token: Hex,
    prediction: DevnetVerdict['prediction'],
    failed?: readonly string[],
  ): Promise<VerdictDoc> => {
    const { prediction: judged, doc } = await score(token);
    assert.equal(judged, prediction, failedIds(doc).join());
    if (failed) assert.deepEqual(failedIds(doc), failed);
    return doc;
  };
  return { verdict, score, scored };
};

/**
 * A devnet with Uniswap V2, and a scorer with its own tables that receives its events.
 * @param genesis the height of the first block
 * @param factories contracts known to create pools; null: none is
 */
export const startDevnetScorer = async ({
  zoo = false,
  genesis = 0,
  factories = null,
}: {
  zoo?: boolean;
  genesis?: number;
  factories?: ReadonlySet<Hex> | null;
} = {}) => {
  const [anvil, server] = await startServers(genesis);
  const clickhouse = createClickhouse({ url: server.url });
  const devnet = await createDevnet({ url: anvil.url, zoo });
  await devnet.deployUniswap();
  const { pool, node } = openNode(anvil.url);
  let headMs = 0;
  // Cached data ages as the devnet's time is advanced.
  const clock = { ...systemClock, now: () => Math.max(headMs, systemClock.now()) };
  const parts: ScorerParts = {
    chainId: CHAIN_ID,
    clickhouse,
    node,
    factories,
    shipped: { model: await loadShippedModel(), lifeModel: await loadLifeModel() },
    codeModel: await loadContractModel(),
    pricing: { weth, stables: [stable], nativePriceUsd: 2_000 },
    priorScamRate: 0.5,
    publish: async () => undefined,
    log: { replay: async function* () {} },
    simulations: createSimulations({ node, weth, clock }),
    clock,
    logger: silentLogger,
  };
  const { ingestor, analyzer, loop } = createScorer(parts);
  let stored = genesis - 1;
  let epoch = 0;
  const takeIn = async (): Promise<void> => {
    const source = createRpcChainSource({ pool, now: Date.now });
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    if (head === stored) return;
    headMs = (await blockOf(devnet, head)).timestampS * 1_000;
    const { from, to, blocks } = rangeOfBlocks(await source.blocks(stored + 1, head));
    const range = { kind: 'blocks', chainId: CHAIN_ID, epoch, from, to, blocks } as const;
    const event = { ...range, chunk: 0, last: true, head, readAtMs: Date.now() };
    await ingestor.handle([{ seq: head, event }]);
    stored = head;
  };
  return {
    devnet,
    clickhouse,
    node,
    analyzer,
    loop,
    /** Passes all new events to the scorer. */
    takeIn,
    ...createJudge(clickhouse, takeIn, analyzer),
    /** Replaces the last blocks with empty ones, and reports that. The scorer must have received all events. */
    takeBack: async (depth: number): Promise<void> => {
      const reorg = await reorgOf(devnet, stored, depth);
      epoch += 1;
      await ingestor.handle([{ seq: stored + 1, event: { ...reorg, epoch } }]);
      stored = reorg.ancestor.number;
    },
    stop: async (): Promise<void> => {
      pool.close();
      await clickhouse.close();
      await Promise.all([anvil.stop(), server.stop()]);
    },
  };
};

/** Scores every due token, many at once, like a role. */
export const scoreDue = ({
  loop,
  clickhouse,
}: Pick<Awaited<ReturnType<typeof startDevnetScorer>>, 'loop' | 'clickhouse'>): Promise<void> =>
  runUntil(loop, async () => (await readDue(clickhouse, CHAIN_ID, DEVNET_BASES)) === 0);

/** A check of a verdict. */
export const checkOf = ({ checks }: VerdictDoc, wanted: string): Check | undefined =>
  checks.find(({ id }) => id === wanted);

/** Checks of a verdict that fail with more than information. */
export const failedIds = ({ checks }: VerdictDoc): string[] =>
  checks
    .filter(({ status, severity }) => status === 'fail' && severity !== 'info')
    .map(({ id }) => id);
