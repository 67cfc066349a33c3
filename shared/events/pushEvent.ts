import { createHash } from 'node:crypto';
import { decodeTime, ulid } from 'ulid';
import type { Hex } from '../chain/block.ts';
import { SEVERITIES, type Severity } from '../messages/alertMessage.ts';

/** Types of events, the same by webhook, WebSocket and SSE. */
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

/** One event on its way to clients. The same message always becomes the same events. */
export interface PushEvent {
  readonly id: string;
  readonly type: PushEventType;
  /** The key family it is for; undefined where it is for all. */
  readonly family: string | undefined;
  /** What filters go by: of a withdrawal that of its alert, though it is shown as information. */
  readonly severity: Severity;
  readonly address: Hex;
  /** Of the block that brought it about; undefined where none did. */
  readonly blockHash?: Hex | undefined;
  /** Of the prediction, now and before; undefined where it is not about one, or there was none. */
  readonly confidence?: number | undefined;
  readonly previousConfidence?: number | undefined;
  readonly jobId?: string | undefined;
  readonly createdAtMs: number;
  /** JSON: the same bytes whatever it is sent by. */
  readonly body: string;
}

/** What every body holds; `data` is by type. */
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
/** What an event's id looks like. */
export const EVENT_ID_PATTERN = /^msg_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A ULID that is the same for the same name and moment: its random part is a hash of the name. */
export const ulidOf = (name: string, atMs: number): string => {
  const hash = createHash('sha256').update(name).digest();
  let next = 0;
  return ulid(atMs, () => {
    const byte = hash[next % hash.length] ?? 0;
    next += 1;
    return byte / BYTE_RANGE;
  });
};

/** The id of an event, from what names it and the Unix milliseconds it came about at. */
export const eventId = (name: string, atMs: number): string => PREFIX + ulidOf(name, atMs);

/** Unix milliseconds in an event's id; undefined for a text that is none. */
export const timeOfEventId = (id: string): number | undefined =>
  EVENT_ID_PATTERN.test(id) ? decodeTime(id.slice(PREFIX.length)) : undefined;

/** Which events are wanted; what is absent lets all pass. */
export interface EventFilter {
  readonly addresses?: readonly string[] | undefined;
  readonly min_severity?: Severity | undefined;
  readonly min_confidence?: number | undefined;
  readonly job_id?: string | undefined;
}

/** Default confidence from which a prediction is published. */
const HIGH_CONFIDENCE = 0.95;

/**
 * Whether an event is wanted. A prediction of high confidence is an event when it first reaches the
 * wanted confidence, not again with every new verdict that confirms it.
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
