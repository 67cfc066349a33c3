import type { ConsumerMessages, JsMsg } from 'nats';

/**
 * Messages until they end or `signal` aborts, which stops them. Its listener is always removed from the signal,
 * however the reading ends.
 */
export async function* untilAborted(
  messages: ConsumerMessages,
  signal: AbortSignal,
): AsyncGenerator<JsMsg> {
  const stop = (): void => messages.stop();
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    yield* messages;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
