import type { Hex } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { scoreSubject, scoreSubjects } from '../../../shared/messages/subjects.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { EventLog } from '../../../shared/platform/eventLog.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import type { Publish } from '../../../shared/platform/publish.ts';
import { adviceOf, reasonsOf } from '../../../shared/rules/advice.ts';
import type { LastVerdict } from './lastVerdicts.ts';
import type { StoredVerdict, VerdictStore } from './verdictStore.ts';

/** Lag of facts when they were stored. */
export interface Lag {
  /** Blocks between them and the head of the chain. */
  readonly lagBlocks: number;
  /** Milliseconds since they were read from the node. */
  readonly lateMs: number;
}

/** Lag from which the node's current state is no evidence for the facts at hand. */
const LIVE_LAG_BLOCKS_MAX = 32;
/** Milliseconds after which older facts, and unpublished verdicts, are never published. */
export const PUBLISH_AGE_MS_MAX = 3_600_000;

/** Whether facts reach the head of the chain, as the node had reported it when they were read. */
export const isAtHead = ({ lagBlocks }: Lag): boolean => lagBlocks <= LIVE_LAG_BLOCKS_MAX;

/**
 * Whether verdicts on facts are published. Old verdicts must not raise alerts: those computed while a scorer catches
 * up with the chain, or with a stream that filled during an outage, are stored only.
 */
export const isRecent = (lag: Lag): boolean => isAtHead(lag) && lag.lateMs <= PUBLISH_AGE_MS_MAX;

export interface VerdictOutboxPorts {
  readonly chainId: number;
  readonly verdicts: Pick<VerdictStore, 'unpublished'>;
  readonly publish: Publish;
  /** Published verdicts. */
  readonly log: Pick<EventLog, 'replay'>;
  /** Whether verdicts on the facts at hand are published: see `isRecent`. */
  readonly isRecent: () => boolean;
  /** Counts verdicts by outcome. */
  readonly count: (outcome: PublishOutcome, verdicts: number) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'debug'>;
}

/** Published when stored, published after a crash or an outage, or too old to be published. */
export type PublishOutcome = 'published' | 'published_late' | 'past';

/**
 * The transactional outbox of verdicts, see OUTBOX.md: each is stored with its message, then published; nothing more
 * is stored until everything stored is published. So what a crash left unpublished is always the latest.
 */
export interface VerdictOutbox {
  /** Publishes what is stored and unpublished; does nothing if the last `publish` succeeded. */
  flush(): Promise<void>;
  /**
   * Stores verdicts and publishes them if they are recent. Call `flush` first.
   * @param store stores the verdicts with the given messages: none if nothing is to be published
   */
  publish(
    messages: readonly ScoreMessage[],
    store: (messages: readonly ScoreMessage[]) => Promise<void>,
  ): Promise<void>;
}

/** Clocks of scorers and of NATS differ by less, milliseconds. */
const CLOCKS_DIFFER_MS_MAX = 60_000;

/** What is published of a verdict. */
export const messageOf = (
  stored: StoredVerdict,
  previous: ReadonlyMap<Hex, LastVerdict>,
): ScoreMessage => ({
  v: 1,
  chainId: stored.chainId,
  token: stored.token,
  name: stored.name,
  symbol: stored.symbol,
  blockNumber: stored.verdict.doc.provenance.block_number,
  blockHash: stored.verdict.doc.provenance.block_hash as Hex,
  prediction: stored.verdict.prediction,
  confidence: stored.verdict.confidence,
  riskScore: stored.verdict.riskScore,
  previousPrediction: previous.get(stored.token)?.prediction ?? null,
  previousConfidence: previous.get(stored.token)?.confidence ?? null,
  previousRiskScore: previous.get(stored.token)?.riskScore ?? null,
  analyzedAtMs: stored.analyzedAtMs,
  reasons: reasonsOf(stored.verdict.doc, adviceOf(stored.verdict).advice).map(
    ({ reason }) => reason,
  ),
});

/** The message id of a verdict: the same at every repetition. */
export const scoreMessageId = ({ chainId, token, blockHash, analyzedAtMs }: ScoreMessage): string =>
  `score:${chainId}:${token}:${blockHash}:${analyzedAtMs}`;

/** Resolves when the stream has all of them on disk; rejects if one failed, once none is in transit. */
const publishAll = async (messages: readonly ScoreMessage[], publish: Publish): Promise<void> => {
  const sent = await Promise.allSettled(
    messages.map((message) =>
      publish(scoreSubject(message.chainId, message.token), message, scoreMessageId(message)),
    ),
  );
  for (const one of sent) if (one.status === 'rejected') throw one.reason;
};

/** Ids of a chain's verdicts that were published since a time, Unix milliseconds. */
const publishedSince = async (
  { log, chainId }: VerdictOutboxPorts,
  fromMs: number,
): Promise<ReadonlySet<string>> => {
  const published = new Set<string>();
  const subjects = [scoreSubjects(chainId)];
  for await (const { messageId } of log.replay({ subjects, fromMs, upToSeq: Infinity })) {
    if (messageId !== undefined) published.add(messageId);
  }
  return published;
};

/** Verdicts that changed; unchanged ones are logged at debug level. */
const logVerdicts = (
  messages: readonly ScoreMessage[],
  logger: VerdictOutboxPorts['logger'],
): void => {
  for (const message of messages) {
    const { token, blockNumber: block, blockHash, prediction, previousPrediction } = message;
    const line = { token, block, blockHash, prediction, previousPrediction };
    if (prediction === previousPrediction) logger.debug(line, 'verdict kept');
    else logger.info(line, 'verdict');
  }
};

/** Last step of a verdict: it is stored and published. */
export const createVerdictOutbox = (ports: VerdictOutboxPorts): VerdictOutbox => {
  const { chainId, verdicts, publish, isRecent, count, clock, logger } = ports;
  /** False at first: the previous process may have left something unpublished. */
  let isFlushed = false;

  const unpublished = async (): Promise<ScoreMessage[]> => {
    const latest = await verdicts.unpublished(chainId, clock.now() - PUBLISH_AGE_MS_MAX);
    if (latest.length === 0) return [];
    const firstMs = Math.min(...latest.map(({ analyzedAtMs }) => analyzedAtMs));
    const published = await publishedSince(ports, firstMs - CLOCKS_DIFFER_MS_MAX);
    return latest.filter((message) => !published.has(scoreMessageId(message)));
  };

  const send = async (messages: readonly ScoreMessage[]): Promise<void> => {
    await publishAll(messages, publish);
    logVerdicts(messages, logger);
  };

  return {
    flush: async () => {
      if (isFlushed) return;
      const messages = await unpublished();
      if (messages.length > 0) {
        await send(messages);
        count('published_late', messages.length);
        logger.info({ verdicts: messages.length }, 'stored verdicts published late');
      }
      isFlushed = true;
    },
    publish: async (messages, store) => {
      if (!isRecent()) {
        await store([]);
        count('past', messages.length);
        return;
      }
      isFlushed = false;
      await store(messages);
      await send(messages);
      isFlushed = true;
      count('published', messages.length);
    },
  };
};
