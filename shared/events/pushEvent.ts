import { createHash } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';
import type { Hex } from '../chain/block.ts';
import { SEVERITIES, type Severity } from '../messages/alertMessage.ts';

/** Event types, the same for webhooks, WebSocket and SSE. */
export const PUSH_EVENT_TYPES = [
  'token.scam_detected',
  'watchlist.alert',
  'prediction.high_confidence',
  'verdict.changed',
  'analysis.completed',
  'analysis.failed',
  'webhook.test',
] as const;
export type PushEventType = (typeof PUSH_EVENT_TYPES)[number];

/** One event for clients. The same message always results in the same events. */
export interface PushEvent {
  readonly id: string;
  readonly type: PushEventType;
  /** The key family that receives it; undefined if all do. */
  readonly family: string | undefined;
  /** The severity used by filters: for a withdrawal that of its alert, though it is shown as information. */
  readonly severity: Severity;
  readonly address: Hex;
  /** The block that caused it; undefined if none did. */
  readonly blockHash?: Hex | undefined;
  /** The prediction now and before; undefined if the event is not about one, or there was none. */
  readonly confidence?: number | undefined;
  readonly previousConfidence?: number | undefined;
  readonly jobId?: string | undefined;
  readonly createdAtMs: number;
  /** JSON, with the same bytes on every channel. */
  readonly body: string;
}

/** Common fields of every body; `data` depends on the type. */
export interface PushEventBody {
  readonly type: PushEventType;
  readonly id: string;
  readonly timestamp: string;
  readonly alert_type: string;
  readonly severity: Severity;
  readonly token: { readonly address: Hex; readonly name: string; readonly symbol: string };
  readonly data: Readonly<Record<string, unknown>>;
}

const BYTE_RANGE = 256;
const PREFIX = 'msg_';
/** Format of an event id. */
export const EVENT_ID_PATTERN = /^msg_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A ULID that is the same for the same name and time: its random part is a hash of the name. */
export const ulidOf = (name: string, atMs: number): string => {
  const hash = createHash('sha256').update(name).digest();
  let next = 0;
  return ulid(atMs, () => {
    const byte = hash[next % hash.length] ?? 0;
    next += 1;
    return byte / BYTE_RANGE;
  });
};

/** The id of an event, from its name and the Unix milliseconds of its cause. */
export const eventId = (name: string, atMs: number): string => PREFIX + ulidOf(name, atMs);

/** Unix milliseconds in an event's id; undefined for a text that is not an id. */
export const timeOfEventId = (id: string): number | undefined =>
  EVENT_ID_PATTERN.test(id) ? decodeTime(id.slice(PREFIX.length)) : undefined;

/** Which events are wanted; absent fields do not filter. */
export interface EventFilter {
  readonly addresses?: readonly string[] | undefined;
  readonly min_severity?: Severity | undefined;
  readonly min_confidence?: number | undefined;
  readonly job_id?: string | undefined;
}

/** Default confidence from which a prediction is published. */
const HIGH_CONFIDENCE = 0.95;

/**
 * Whether an event is wanted. A high-confidence prediction is an event when it first reaches the wanted confidence,
 * not with every later verdict that confirms it.
 */
export const isWanted = (event: PushEvent, filter: EventFilter | null): boolean => {
  const { addresses, min_severity: severity, job_id: jobId } = filter ?? {};
  if (addresses && !addresses.includes(event.address)) return false;
  if (severity && SEVERITIES.indexOf(event.severity) < SEVERITIES.indexOf(severity)) return false;
  if (jobId !== undefined && event.jobId !== jobId) return false;
  if (event.confidence === undefined) return true;
  const isPrediction = event.type === 'prediction.high_confidence';
  const confidenceMin = filter?.min_confidence ?? (isPrediction ? HIGH_CONFIDENCE : 0);
  if (event.confidence < confidenceMin) return false;
  return !isPrediction || (event.previousConfidence ?? 0) < confidenceMin;
};
