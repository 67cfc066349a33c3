import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { ChainProgress } from '../chainProgress.ts';
import type { TradeSimulation } from '../checks/checkInput.ts';
import { createContractCache } from '../contract/contractCache.ts';
import { createContractReader } from '../contract/contractReader.ts';
import type { Learning } from '../learning/openLearning.ts';
import { createLockProber } from '../locks/lockProber.ts';
import type { Stores } from '../openStores.ts';
import { createKnownPairs } from '../pool/knownPairs.ts';
import { basesOf, type ScorerParts } from '../scorerParts.ts';
import { createTokenScorer, type TokenScorer } from './tokenScorer.ts';
import { createVerdictOutbox, type VerdictOutbox } from './verdictOutbox.ts';

const CATCHING_UP: TradeSimulation = {
  kind: 'unknown',
  reason: sentence('behindHead'),
};

/** Verdicts that say something new; unchanged ones are logged at debug level. */
const logVerdicts = (messages: readonly ScoreMessage[], logger: Logger): void => {
  for (const message of messages) {
    const { token, blockNumber: block, blockHash, prediction, previousPrediction } = message;
    const line = { token, block, blockHash, prediction, previousPrediction };
    if (prediction === previousPrediction) logger.debug(line, 'verdict kept');
    else logger.info(line, 'verdict');
  }
};

const openOutbox = (
  { chainId, events, meter, clock, logger }: ScorerParts,
  { verdicts }: Stores,
  { isRecent }: ChainProgress,
): VerdictOutbox =>
  createVerdictOutbox({
    stored: (sinceMs) => verdicts.unpublished(chainId, sinceMs),
    publishedSince: (sinceMs) => events.scoresSince(chainId, sinceMs),
    publish: async (messages) => {
      await events.scores(messages);
      logVerdicts(messages, logger);
    },
    isRecent,
    count: (outcome, made) => meter?.published(outcome, made),
    clock,
    logger,
  });

/** What makes verdicts; without a live head, the node's current state says nothing. */
export const openTokenScorer = (
  parts: ScorerParts,
  stores: Stores,
  { models, priors }: Learning,
  progress: ChainProgress,
): TokenScorer => {
  const { node, pricing, caches, clock, meter } = parts;
  const { isLive } = progress;
  const reader = createContractReader({ node, weth: pricing.weth, caches });
  return createTokenScorer({
    ...stores,
    knownPairs: createKnownPairs(node, parts.factories),
    locks: createLockProber({ store: stores.locks, node, isLive }),
    models: () => models.current(),
    codeModel: parts.codeModel,
    verdicts: {
      ...stores.verdicts,
      insert: async (verdicts, messages, last) => {
        await stores.verdicts.insert(verdicts, messages, last);
        meter?.stored(verdicts, clock.now(), isLive());
      },
    },
    simulate: async (requests, head) =>
      isLive() ? parts.simulations.simulate(requests, head) : requests.map(() => CATCHING_UP),
    tryHolders: async (held, head) => (isLive() ? parts.simulations.tryHolders(held, head) : []),
    contracts: createContractCache({ store: stores.contracts, reader, clock, isLive }),
    outbox: openOutbox(parts, stores, progress),
    priors,
    bases: basesOf(pricing),
    clock,
  });
};
