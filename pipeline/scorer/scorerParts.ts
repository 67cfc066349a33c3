import type { Hex } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { PricingConfig } from '../../shared/platform/config.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { CacheMeters } from '../../shared/platform/metrics.ts';
import type { LearningReport } from './learning/learner.ts';
import type { Model } from './model/model.ts';
import type { ScorerMeter } from './scorerMetrics.ts';
import type { Simulations } from './simulation/simulations.ts';
import type { ChainNode } from './token/tokenReader.ts';
import type { EventPublisher } from './verdict/eventPublisher.ts';

/** What a scorer depends on. */
export interface ScorerParts {
  readonly chainId: number;
  readonly clickhouse: Clickhouse;
  readonly node: ChainNode;
  /** Contracts that are known to make pools; null where none is. */
  readonly factories: ReadonlySet<Hex> | null;
  /** The model of the market that the release ships. */
  readonly model: Model;
  /** Scores markets that are older than a day. */
  readonly lifeModel: Model;
  /** Scores the code of contracts. */
  readonly codeModel: Model;
  readonly pricing: PricingConfig;
  /** Share of scams expected among the tokens of this deployment, 0 to 1; undefined: as the chain's own outcomes have it. */
  readonly priorScamRate: number | undefined;
  readonly simulations: Simulations;
  readonly events: Pick<EventPublisher, 'scores' | 'scoresSince'>;
  readonly meter?: Pick<ScorerMeter, 'stored' | 'published' | 'waiting'>;
  readonly caches?: CacheMeters;
  /** Takes how the models of the chain do. */
  readonly learned?: (report: LearningReport) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The wrapped native coin, then the stablecoins that tokens are priced in. */
export const basesOf = ({ weth, stables }: PricingConfig): Hex[] => [weth, ...stables];
