import { randomBytes } from 'node:crypto';
import type { Hex } from '../chain/block.ts';
import { errorMessage } from './errors.ts';
import type { Logger } from './logger.ts';

/** A span of work on one block. */
export interface BlockSpan {
  readonly name: string;
  readonly blockHash: Hex;
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Whether this is the parent of all other spans of the block. */
  readonly isRoot?: boolean;
}

/** Counts spans. */
export interface SpanMeter {
  sent(count: number): void;
  dropped(count: number): void;
}

/** Sends spans of work on blocks to an OpenTelemetry collector. */
export interface Tracer {
  span(span: BlockSpan): void;
  /** Sends the remaining spans, and stops. Never rejects. */
  close(): Promise<void>;
}

const SEND_EVERY_MS = 2_000;
const SEND_TIMEOUT_MS = 5_000;
/** Spans waiting to be sent; more are dropped. */
const WAITING_MAX = 2_000;
const NANOS_PER_MS = 1_000_000n;
const SPAN_KIND_INTERNAL = 1;
/** Hexadecimal digits of the two ids: W3C Trace Context. */
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
const PREFIX_CHARS = 2;

/** Trace id and root span id are derived from the block's hash, so every process adds to the same trace. */
const idsOf = (blockHash: Hex): { traceId: string; rootId: string } => {
  const digits = blockHash.slice(PREFIX_CHARS);
  return {
    traceId: digits.slice(0, TRACE_DIGITS),
    rootId: digits.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
  };
};

const attribute = ([key, value]: readonly [string, string | number]) => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
});

const nanos = (ms: number): string => String(BigInt(Math.floor(ms)) * NANOS_PER_MS);

/** A span in OTLP's JSON format. */
const encode = ({ name, blockHash, startMs, endMs, attributes, isRoot = false }: BlockSpan) => {
  const { traceId, rootId } = idsOf(blockHash);
  const ownId = randomBytes(SPAN_DIGITS / 2).toString('hex');
  return {
    traceId,
    spanId: isRoot ? rootId : ownId,
    ...(isRoot ? {} : { parentSpanId: rootId }),
    name,
    kind: SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanos(Math.min(startMs, endMs)),
    endTimeUnixNano: nanos(endMs),
    attributes: Object.entries({ ...attributes, blockHash }).map(attribute),
  };
};

/** Used without a collector. */
const silentTracer: Tracer = { span: () => undefined, close: async () => undefined };

// Not the OpenTelemetry SDK: its OTLP exporter requires Node 22 from version 0.300 on, and its batch processor drops
// spans with a log line but without a counter.
/**
 * A tracer that sends batches to `endpoint` by OTLP over HTTP (JSON, https://opentelemetry.io/docs/specs/otlp/).
 * Spans that cannot be sent are dropped and counted; work never waits for them. Without an endpoint nothing is sent.
 */
export const createTracer = (args: {
  readonly endpoint: string | undefined;
  readonly role: string;
  readonly chainId: number;
  readonly logger: Logger;
  readonly meter: SpanMeter;
}): Tracer => {
  const { endpoint, role, chainId, logger, meter } = args;
  if (endpoint === undefined) return silentTracer;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const resource = { 'service.name': `tsd-${role}`, 'tsd.chain': chainId };
  let waiting: BlockSpan[] = [];
  let sending = Promise.resolve();

  const send = async (): Promise<void> => {
    const spans = waiting;
    if (spans.length === 0) return;
    waiting = [];
    const scopeSpans = [{ scope: { name: 'token-scam-detection' }, spans: spans.map(encode) }];
    const attributes = Object.entries(resource).map(attribute);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }),
        signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      meter.sent(spans.length);
    } catch (error) {
      meter.dropped(spans.length);
      logger.warn({ spans: spans.length }, `spans dropped: ${errorMessage(error)}`);
    }
  };
  const sendNext = (): Promise<void> => {
    sending = sending.then(send);
    return sending;
  };
  const timer = setInterval(() => void sendNext(), SEND_EVERY_MS);
  timer.unref();
  return {
    span: (span) => {
      if (waiting.length < WAITING_MAX) waiting.push(span);
      else meter.dropped(1);
    },
    close: () => {
      clearInterval(timer);
      return sendNext();
    },
  };
};
