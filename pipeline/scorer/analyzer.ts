import type { Hex } from '../../shared/chain/block.ts';
import type { BlocksEvent } from '../../shared/chain/chainEvent.ts';
import { chainPosition } from '../../shared/chain/version.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { RetryableError } from '../../shared/runtime/errors.ts';
import type { Activity, ActivityStore, Progress } from './activityStore.ts';
import type { DeploymentFinder } from './deploymentFinder.ts';
import type { FactStore } from './factStore.ts';
import { touchedBy } from './facts/touched.ts';
import type { HistoryReader } from './historyReader.ts';
import { JobFailure } from './jobs.ts';
import type { PoolReader } from './poolReader.ts';
import type { PoolStore } from './poolStore.ts';
import type { TokenReader } from './tokenReader.ts';
import type { TokenStore } from './tokenStore.ts';

export interface AnalyzerPorts {
  readonly chainId: number;
  readonly bases: readonly Hex[];
  readonly activity: ActivityStore;
  readonly facts: FactStore;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly tokenReader: TokenReader;
  readonly poolReader: PoolReader;
  readonly deployments: DeploymentFinder;
  readonly history: HistoryReader;
  /** Scores now, and tells the world. */
  readonly score: (activities: readonly Activity[]) => Promise<void>;
  readonly clock: Clock;
}

/** Makes a verdict on request, also for a token that no fact has shown yet. */
export interface Analyzer {
  /**
   * @throws JobFailure `not_a_contract` or `not_a_token`; RetryableError where something is away.
   */
  analyze(token: Hex): Promise<void>;
}

export const createAnalyzer = (ports: AnalyzerPorts): Analyzer => {
  const { chainId, activity, tokens, pools, facts } = ports;

  const knownProgress = async (): Promise<Progress> => {
    const progress = await activity.progress(chainId);
    if (!progress) throw new RetryableError('the chain has not been read yet');
    return progress;
  };

  /** Stores the token as the chain shows it and returns the block that made it. */
  const adopt = async (token: Hex, { block, epoch }: Progress): Promise<number> => {
    const sighting = await ports.deployments.find(token);
    if (!sighting) throw new RetryableError('the node does not name its head');
    const [read] = await ports.tokenReader.read(chainId, [sighting]);
    if (read?.kind === 'notAContract') throw new JobFailure('not_a_contract');
    if (read?.kind !== 'token') throw new JobFailure('not_a_token');
    // Deployed a moment ago: the facts to come say more of it than this look at the chain.
    if (sighting.blockNumber > block.number) throw new RetryableError('the block is not read yet');
    await tokens.insert([read.record], epoch);
    return sighting.blockNumber;
  };

  /** Stores what happened to the token and its pools before they were watched. */
  const catchUp = async (token: Hex, from: number, { block, epoch }: Progress): Promise<void> => {
    const factories = await pools.factories(chainId);
    const addresses = await ports.history.pools(token, factories, ports.bases);
    const found = await ports.poolReader.read(addresses);
    const blocks = await ports.history.facts([token, ...addresses], from, block.number);
    const event: BlocksEvent = {
      kind: 'blocks',
      chainId,
      epoch,
      from,
      to: { ...block, parentHash: block.hash },
      blocks,
      chunk: 0,
      last: true,
      head: block.number,
      readAtMs: ports.clock.now(),
    };
    const { pairs } = touchedBy([event]);
    const created = new Set(pairs.map(({ fact }) => fact.pool));
    await pools.insert(
      chainId,
      found.filter(({ pool }) => !created.has(pool)),
      epoch,
    );
    await facts.insert([event]);
  };

  return {
    analyze: async (token) => {
      const progress = await knownProgress();
      const known = await tokens.known(chainId, [token]);
      if (!known.has(token)) await catchUp(token, await adopt(token, progress), progress);
      const position = chainPosition(progress.epoch, progress.block.number);
      await activity.record(chainId, [{ token, position }]);
      await ports.score([{ token, position }]);
    },
  };
};
