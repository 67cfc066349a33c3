import type { Hex } from '../chain/block.ts';
import type { Severity } from '../messages/alertMessage.ts';

/** What clients are told of, by webhook, WebSocket and SSE alike. */
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
  /** What filters go by: of a withdrawal that of its alert, though it is shown as news. */
  readonly severity: Severity;
  /** The token it is about. */
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
