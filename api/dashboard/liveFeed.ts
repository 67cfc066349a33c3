import type { Logger } from '../../shared/platform/logger.ts';

/** A message of the pipeline, as it was published. */
export interface LiveMessage {
  readonly subject: string;
  readonly text: string;
}

/** Messages as they arrive, for open pages. A page shows earlier ones when it is loaded. */
export interface LiveFeed {
  /**
   * Calls back for each message; returns a function that ends it. Undefined if too many pages are open already.
   */
  listen(listener: Listener): (() => void) | undefined;
}

/** An open page. */
export interface Listener {
  onMessage(message: LiveMessage): void;
  /** The service is stopping: the page will reconnect to another process. */
  end(): void;
}

/** Pages that may be open at once on one process. */
const LISTENERS_MAX = 1_000;

/** Passes every message of one subscription to all open pages. */
export const createLiveFeed = (
  logger: Logger,
): LiveFeed & { publish(message: LiveMessage): void; end(): void } => {
  const listeners = new Set<Listener>();
  return {
    listen: (listener) => {
      if (listeners.size >= LISTENERS_MAX) {
        logger.warn({ listeners: listeners.size }, 'live feed refused: too many pages are open');
        return undefined;
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    publish: (message) => {
      for (const listener of listeners) listener.onMessage(message);
    },
    end: () => {
      for (const listener of listeners) listener.end();
    },
  };
};
