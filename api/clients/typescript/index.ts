import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './baseClient.ts';
import { Operations } from './operations.ts';
import type { components } from './schema.ts';

export { ApiError, type CallOptions, type ClientOptions } from './baseClient.ts';
export type { components, paths } from './schema.ts';

/** An event, the same by stream and webhook. */
export type ApiEvent = components['schemas']['WebhookPayload'];

const RECONNECT_MS = 2_000;
/** Statuses from here on say that the service is away, not that the key may not listen. */
const SERVER_ERRORS = 500;
/** Milliseconds without a byte after which a stream is broken: one that is alive has a comment every 15 seconds. */
const SILENCE_MS_MAX = 60_000;

interface Paged {
  readonly data: unknown;
  readonly pagination?: { readonly next_cursor?: string | null };
}

/** A block of a text/event-stream; one without data only says where the stream is. */
interface StreamBlock {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** The blocks of a text/event-stream, as they come. @param onBytes called whenever something arrives */
async function* readBlocks(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<StreamBlock> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    onBytes();
    text += decoder.decode(bytes, { stream: true });
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end < 0) break;
      const fields = [...text.slice(0, end).matchAll(/^(id|event|data): ?(.*)$/gm)];
      text = text.slice(end + 2);
      yield Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    }
  }
}

/** The API of the token scam detection service: a method for every operation, entries of lists, events. */
export class TokenScamClient extends Operations {
  /**
   * Every entry of a list, page after page.
   * @param readPage reads one page by its cursor: `(cursor) => client.listTokens({ cursor })`
   */
  async *entries<A extends Paged>(
    readPage: (cursor: string | undefined) => Promise<A>,
  ): AsyncGenerator<A['data'] extends readonly (infer E)[] ? E : never> {
    let cursor: string | undefined;
    do {
      const page = await readPage(cursor);
      yield* page.data as never[];
      cursor = page.pagination?.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** A day of verdicts, tokens or trades as a Parquet file (tier enterprise): GET /api/export. @throws ApiError */
  async exportDay(input: {
    readonly what: 'verdicts' | 'tokens' | 'trades';
    /** In UTC, as `2026-01-31`. */
    readonly day: string;
  }): Promise<Uint8Array> {
    const query = new URLSearchParams({ what: input.what, day: input.day });
    const response = await this.send(`/api/export?${query.toString()}`, { method: 'GET' }, true);
    return new Uint8Array(await response.arrayBuffer());
  }

  /**
   * Events as they come (tier pro), connected again after a break from the last one on. Each comes at least once.
   * @param options.types kinds of events; all where absent
   * @throws ApiError where the key may not listen
   */
  async *events(
    options: {
      readonly types?: readonly string[];
      readonly lastEventId?: string;
      readonly signal?: AbortSignal;
    } = {},
  ): AsyncGenerator<ApiEvent> {
    let { lastEventId } = options;
    const aborted = options.signal ? [options.signal] : [];
    while (!options.signal?.aborted) {
      const query = new URLSearchParams({
        ...(options.types ? { events: options.types.join(',') } : {}),
        ...(lastEventId === undefined ? {} : { last_event_id: lastEventId }),
      });
      const silence = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      try {
        const signal = AbortSignal.any([silence.signal, ...aborted]);
        const path = `/api/events?${query.toString()}`;
        const response = await this.send(path, { method: 'GET', signal }, true);
        if (!response.body) continue;
        timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
        for await (const block of readBlocks(response.body, () => timer?.refresh())) {
          lastEventId = block.id ?? lastEventId;
          // The last block before the service ends a stream: why it does.
          if (block.data === undefined || block.event === 'close') continue;
          yield JSON.parse(block.data) as ApiEvent;
        }
      } catch (error) {
        if (options.signal?.aborted || (error instanceof ApiError && error.status < SERVER_ERRORS))
          throw error;
      } finally {
        clearTimeout(timer);
      }
      await sleep(RECONNECT_MS, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}

/** Seconds that the clocks of both sides may differ. */
const TOLERANCE_S = 300;

/**
 * Checks that a webhook came from the API (standardwebhooks.com) and reads it.
 * @param body the body as it arrived, before any parsing
 * @param headers in lower case
 * @param secret as shown when the webhook was made: `whsec_…`
 * @throws Error where the signature, or the time, is wrong
 */
export const readWebhook = (
  body: string,
  headers: Readonly<Record<string, string | undefined>>,
  secret: string,
): ApiEvent => {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (id === undefined || time === undefined || signatures === undefined) {
    throw new Error('a header of the webhook is missing');
  }
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= TOLERANCE_S)) {
    throw new Error('the webhook is too old or from the future');
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest();
  const isOurs = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs) throw new Error('the signature of the webhook is wrong');
  return JSON.parse(body) as ApiEvent;
};
