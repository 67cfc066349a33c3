import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Hex } from '../chain/block.ts';
import { type AlertMessage, alertMessageSchema, type Severity } from '../messages/alertMessage.ts';
import { type AnalysisMessage, analysisMessageSchema } from '../messages/jobMessage.ts';
import { type ScoreMessage, scoreMessageSchema } from '../messages/scoreMessage.ts';
import { errorMessage, PoisonMessageError } from '../platform/errors.ts';
import { adviceOf } from '../rules/advice.ts';
import { isoTime } from '../rules/isoTime.ts';
import { riskLevel } from '../rules/riskLevel.ts';
import { eventId, type PushEvent, type PushEventBody, type PushEventType } from './pushEvent.ts';

/** Maximum bytes of a body: receivers and streams rely on it. */
const BODY_BYTES_MAX = 20_000;
/** Confidence from which a scam is critical. */
const CRITICAL_CONFIDENCE = 0.9;

/** A message of the events stream as received. */
export interface StreamMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** The id that its publisher gave it: messages published again under the same id are identical. */
  readonly messageId: string | undefined;
}

/** The token and verdict as in style B of the API. */
const tokenOf = (score: ScoreMessage) => {
  const riskScore = Math.round(score.riskScore * 100) / 100;
  return {
    address: score.token,
    name: score.name,
    symbol: score.symbol,
    is_rug: score.prediction === 'SCAM',
    confidence: Math.round(score.confidence * 100) / 100,
    risk_score: riskScore,
    risk_level: riskLevel(riskScore),
    ...adviceOf(score),
    reasons: score.reasons ?? [],
    chain_id: score.chainId,
    block_number: score.blockNumber,
    analyzed_at: isoTime(score.analyzedAtMs),
  };
};

type EventDraft = Omit<PushEventBody, 'id' | 'timestamp'> & {
  readonly family?: string;
  readonly confidence?: number;
  readonly previousConfidence?: number | undefined;
  readonly jobId?: string;
  readonly blockHash?: Hex;
  /** The severity used by filters, if it differs from the one shown. */
  readonly filteredAs?: Severity;
};

/** Events of a verdict: a scam, a high-confidence prediction, a change. */
const draftsOfScore = (score: ScoreMessage): EventDraft[] => {
  const { prediction, previousPrediction, confidence, blockHash } = score;
  const token = { address: score.token, name: score.name, symbol: score.symbol };
  const data = tokenOf(score);
  const isScam = prediction === 'SCAM';
  const isSame = previousPrediction === prediction;
  const drafts: EventDraft[] = [];
  const add = (
    type: PushEventType,
    rest: Pick<EventDraft, 'alert_type' | 'severity' | 'previousConfidence'>,
    more = {},
  ) => drafts.push({ type, ...rest, token, data: { ...data, ...more }, confidence, blockHash });
  if (isScam && !isSame) {
    const severity = confidence >= CRITICAL_CONFIDENCE ? 'critical' : 'warning';
    add('token.scam_detected', { alert_type: 'scam_detected', severity });
  }
  add('prediction.high_confidence', {
    alert_type: 'high_confidence_prediction',
    severity: isScam ? 'critical' : 'info',
    previousConfidence: isSame ? (score.previousConfidence ?? undefined) : undefined,
  });
  if (previousPrediction === null) return drafts;
  const { previousRiskScore } = score;
  const previousLevel = previousRiskScore === null ? data.risk_level : riskLevel(previousRiskScore);
  if (!isSame || previousLevel !== data.risk_level) {
    const severity = 'warning';
    add(
      'verdict.changed',
      { alert_type: 'verdict_change', severity },
      {
        previous_is_rug: previousPrediction === 'SCAM',
        previous_confidence: score.previousConfidence,
        previous_risk_score: previousRiskScore,
        previous_risk_level: previousLevel,
      },
    );
  }
  return drafts;
};

/**
 * A withdrawal has another type, so that it is not mistaken for a new alert. It passes the filters that the alert
 * passed, whatever its own severity.
 */
const draftOfAlert = ({ alert, state }: AlertMessage): EventDraft => {
  const isWithdrawn = state === 'withdrawn';
  return {
    type: 'watchlist.alert',
    family: alert.family,
    blockHash: alert.blockHash,
    alert_type: isWithdrawn ? 'alert_withdrawn' : alert.type,
    severity: isWithdrawn ? 'info' : alert.severity,
    filteredAs: alert.severity,
    token: alert.token,
    data: {
      id: alert.id,
      type: alert.type,
      severity: alert.severity,
      details: alert.details,
      recommendation: alert.recommendation,
      read: false,
      created_at: isoTime(alert.createdAtMs),
      watchlist_id: alert.watchId,
      chain_id: alert.chainId,
      block_number: alert.blockNumber,
      tx_hash: alert.txHash,
      ...(isWithdrawn ? { withdrawn: true } : {}),
    },
  };
};

const draftOfAnalysis = ({ job, called }: AnalysisMessage): EventDraft => {
  const type = job.status === 'completed' ? 'analysis.completed' : 'analysis.failed';
  return {
    type,
    family: job.family,
    jobId: job.jobId,
    alert_type: type,
    severity: 'info',
    token: {
      address: job.token,
      name: called?.name || `${job.token.slice(0, 6)}…${job.token.slice(-4)}`,
      symbol: called?.symbol ?? '',
    },
    data: {
      address: job.token,
      status: job.status,
      estimated_time: 0,
      job_id: job.jobId,
      ...(job.error === undefined ? {} : { error: job.error }),
    },
  };
};

const eventOf = (draft: EventDraft, id: string, createdAtMs: number): PushEvent => {
  const { family, confidence, previousConfidence, jobId, blockHash, filteredAs, ...shown } = draft;
  const { type, severity, ...rest } = shown;
  const timestamp = isoTime(createdAtMs);
  const whole: PushEventBody = { type, id, timestamp, severity, ...rest };
  const body = JSON.stringify(whole);
  if (Buffer.byteLength(body) > BODY_BYTES_MAX) {
    throw new PoisonMessageError(`event ${id} is larger than ${BODY_BYTES_MAX} bytes`);
  }
  const address = rest.token.address;
  const about = { address, blockHash, confidence, previousConfidence, jobId };
  const facts = { id, type, family, severity: filteredAs ?? severity, ...about };
  return { ...facts, createdAtMs, body };
};

const parse = <S extends z.ZodTypeAny>(schema: S, { subject, data }: StreamMessage) => {
  try {
    return schema.parse(JSON.parse(Buffer.from(data).toString())) as z.output<S>;
  } catch (cause) {
    const message = `message of ${subject.split('.')[0]} cannot be read: ${errorMessage(cause)}`;
    throw new PoisonMessageError(message, { cause });
  }
};

/**
 * The events of a message of the events stream.
 * @throws PoisonMessageError for a message that can never be delivered.
 */
export const eventsOf = (message: StreamMessage): PushEvent[] => {
  const name = message.messageId ?? createHash('sha256').update(message.data).digest('hex');
  const [kind = ''] = message.subject.split('.');
  switch (kind) {
    case 'alert': {
      const parsed = parse(alertMessageSchema, message);
      return [eventOf(draftOfAlert(parsed), parsed.eventId, parsed.alert.createdAtMs)];
    }
    case 'score': {
      const score = parse(scoreMessageSchema, message);
      const atMs = score.analyzedAtMs;
      return draftsOfScore(score).map((draft) =>
        eventOf(draft, eventId(`${name}:${draft.type}`, atMs), atMs),
      );
    }
    case 'analysis': {
      const parsed = parse(analysisMessageSchema, message);
      const { endedAtMs, createdAtMs } = parsed.job;
      const atMs = endedAtMs ?? createdAtMs;
      return [eventOf(draftOfAnalysis(parsed), eventId(name, atMs), atMs)];
    }
    default:
      return [];
  }
};
