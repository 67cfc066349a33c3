import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import { chainPosition } from '../../../shared/chain/version.ts';
import type { TokenNames } from '../../../shared/messages/jobMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { Activity, ActivityStore, Progress } from '../ingest/activityStore.ts';
import type { FactStore } from '../ingest/factStore.ts';
import type { Pool, PoolReader, PoolStore } from '../pool/poolStore.ts';
import type { TokenRecord } from '../token/confirmToken.ts';
import type { TokenReader } from '../token/tokenReader.ts';
import type { TokenStore } from '../token/tokenStore.ts';
import type { DeploymentFinder, HistoryReader } from './historyReader.ts';
import { JobFailure } from './jobs.ts';

export interface AnalyzerPorts {
  readonly chainId: number;
  readonly bases: readonly Hex[];
  readonly activity: Pick<ActivityStore, 'record'>;
  /** Up to where facts are stored in full; undefined before the first block. */
  readonly progress: () => Promise<Progress | undefined>;
  readonly facts: FactStore;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly tokenReader: TokenReader;
  readonly poolReader: PoolReader;
  readonly deployments: DeploymentFinder;
  readonly history: HistoryReader;
  /** Scores now and publishes. */
  readonly score: (activities: readonly Activity[]) => Promise<void>;
  readonly clock: Clock;
}

/** Pools whose history is read per token: anyone may open more. */
const POOLS_MAX = 20;

/** The token's pools against one of the bases that were created in these facts. */
const createdPools = (blocks: readonly BlockFacts[], token: Hex, bases: readonly Hex[]): Pool[] =>
  blocks.flatMap(({ number: blockNumber, hash: blockHash, facts }) =>
    facts.flatMap((fact): Pool[] => {
      if (fact.kind !== 'poolCreated' || isOtherMarket(fact)) return [];
      const { pool, token0, token1 } = fact;
      const isPriced = bases.includes(token === token0 ? token1 : token0);
      return isPriced ? [{ pool, token0, token1, created: { blockNumber, blockHash } }] : [];
    }),
  );

export const createAnalyzer = (ports: AnalyzerPorts) => {
  const { chainId, activity, tokens, pools, facts } = ports;

  const knownProgress = async (): Promise<Progress> => {
    const progress = await ports.progress();
    if (!progress) throw new RetryableError('the chain has not been read yet');
    return progress;
  };

  /** The token as on the chain. */
  const look = async (token: Hex, { block }: Progress): Promise<TokenRecord> => {
    const seen = await ports.deployments.find(token);
    if (!seen) throw new RetryableError('the node does not name its head');
    const [read] = await ports.tokenReader.read(chainId, [seen]);
    if (read?.kind === 'notAContract') throw new JobFailure('not_a_contract');
    if (read?.kind !== 'token') throw new JobFailure('not_a_token');
    // Deployed a moment ago: future facts say more about it than this read of the chain.
    if (seen.blockNumber > block.number) throw new RetryableError('the block is not read yet');
    return read.record;
  };

  /** Stores the earlier history of the token and its pools. */
  const catchUp = async (token: Hex, from: number, { block, epoch }: Progress): Promise<void> => {
    const { history, bases } = ports;
    const pairBlocks = await history.pairs(token, from, block.number);
    const created = createdPools(pairBlocks, token, bases);
    const shown = new Set(created.map(({ pool }) => pool));
    // A pair may be older than the logs that are read: its factory still lists it.
    const asked = await history.pools(token, await pools.factories(chainId), bases);
    const found = await ports.poolReader.read(asked.filter((pool) => !shown.has(pool)));
    const addresses = [...created, ...found].map(({ pool }) => pool).slice(0, POOLS_MAX);
    const blocks = await history.facts([token, ...addresses], from, block.number);
    const event: BlocksEvent = {
      kind: 'blocks',
      chainId,
      epoch,
      from,
      to: { ...block, parentHash: block.hash },
      blocks: [...pairBlocks, ...blocks],
      chunk: 0,
      last: true,
      head: block.number,
      readAtMs: ports.clock.now(),
    };
    await pools.insert(chainId, [...created, ...found], epoch);
    await facts.insert([event]);
  };

  return {
    /**
     * Resolves to the token's names; undefined if a reorg has removed it by then.
     * @throws JobFailure `not_a_contract` or `not_a_token`; RetryableError if a dependency is unavailable.
     */
    analyze: async (token: Hex): Promise<TokenNames | undefined> => {
      const progress = await knownProgress();
      const known = await tokens.known(chainId, [token]);
      if (!known.has(token)) {
        const record = await look(token, progress);
        await catchUp(token, record.createdBlock, progress);
        // Last: a known token counts as caught up.
        await tokens.insert([record], progress.epoch);
      }
      const position = chainPosition(progress.epoch, progress.block.number);
      await activity.record(chainId, [{ token, position }]);
      await ports.score([{ token, position }]);
      return tokens.namesOf(chainId, token);
    },
  };
};
/** Computes a verdict on request, also for a token that is in no fact yet. */
export type Analyzer = ReturnType<typeof createAnalyzer>;
