import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, FatalError, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';

/** Checks whether one dependency is available; rejects or resolves to false if it is not. */
export type ReadinessCheck = () => Promise<boolean>;

/** The metrics of a process as Prometheus reads them. */
export interface MetricsText {
  readonly contentType: string;
  metrics(): Promise<string>;
}

export interface ServiceOptions {
  readonly logger: Logger;
  /** Port of `/healthz`, `/readyz` and `/metrics`; 0 for none. */
  readonly healthPort: number;
  /** Address they listen on; loopback if absent. */
  readonly healthHost?: string;
  readonly metrics?: MetricsText;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Milliseconds that draining may take; ten seconds if absent. */
  readonly drainMsMax?: number;
  /** Works until `signal` aborts, then drains and resolves. Rejects on failure. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Exit code for a temporary failure: sysexits.h EX_TEMPFAIL. */
const EXIT_TEMPORARY = 75;
const EXIT_FAILURE = 1;
/**
 * Less than the 30 s after which the manifests kill a container; on a busy machine a round takes more than ten.
 */
const DRAIN_MS_MAX = 20_000;
const CHECK_TIMEOUT_MS = 2_000;
const LOOPBACK = '127.0.0.1';

const withTimeout = async (check: ReadinessCheck): Promise<boolean> => {
  try {
    return await Promise.race([check(), sleep(CHECK_TIMEOUT_MS, false)]);
  } catch {
    return false;
  }
};

/** Runs all checks in parallel, each with its time limit. */
export const readiness = async <Name extends string>(
  checks: Readonly<Record<Name, ReadinessCheck>>,
): Promise<Record<Name, 'up' | 'down'>> => {
  const entries = await Promise.all(
    Object.entries<ReadinessCheck>(checks).map(
      async ([name, check]) => [name, (await withTimeout(check)) ? 'up' : 'down'] as const,
    ),
  );
  return Object.fromEntries(entries) as Record<Name, 'up' | 'down'>;
};

const healthServer = (options: ServiceOptions): Server =>
  createServer((request, response) => {
    const send = (status: number, type: string, text: string): void => {
      response.writeHead(status, { 'content-type': type });
      response.end(text);
    };
    const answer = (status: number, body: unknown): void =>
      send(status, 'application/json', JSON.stringify(body));
    const { checks, metrics, logger } = options;
    if (request.url === '/healthz') answer(200, { status: 'ok' });
    else if (request.url === '/readyz') {
      void readiness(checks).then((states) => {
        const up = Object.values(states).every((state) => state === 'up');
        answer(up ? 200 : 503, { status: up ? 'ready' : 'not ready', checks: states });
      });
    } else if (request.url === '/metrics' && metrics) {
      metrics.metrics().then(
        (text) => send(200, metrics.contentType, text),
        (error: unknown) => {
          logger.error({ err: error }, 'metrics are not available');
          answer(500, { error: 'metrics are not available' });
        },
      );
    } else answer(404, { error: 'not found' });
  }).listen(options.healthPort, options.healthHost ?? LOOPBACK);

/**
 * Runs a role as this process: SIGTERM and SIGINT drain it; a second signal or the time limit ends it. Exits with 0
 * after draining, 75 on a temporary failure, 1 on any other.
 */
export const runService = async (options: ServiceOptions): Promise<never> => {
  const { logger, healthPort, run } = options;
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(EXIT_FAILURE);
    logger.info({ signal: name }, 'draining');
    const drainMsMax = options.drainMsMax ?? DRAIN_MS_MAX;
    setTimeout(() => {
      logger.error({ drainMsMax }, 'stopped before it was drained: the time limit is over');
      process.exit(EXIT_FAILURE);
    }, drainMsMax).unref();
    controller.abort();
  };
  // Uncaught errors end the process too, with a regular log line.
  process.on('uncaughtException', (error) => {
    logger.error({ err: error }, describeFailure(error));
    process.exit(EXIT_FAILURE);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const health = healthPort > 0 ? healthServer(options) : undefined;
  health?.on('error', (error) => {
    logger.error({ err: error }, `health port ${healthPort} cannot be used`);
    process.exit(EXIT_FAILURE);
  });
  try {
    await run(controller.signal);
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, describeFailure(error));
    process.exit(error instanceof RetryableError ? EXIT_TEMPORARY : EXIT_FAILURE);
  }
};

const describeFailure = (error: unknown): string => {
  if (error instanceof FatalError) return `stopped: ${error.message}`;
  if (error instanceof RetryableError) return `a dependency is away: ${error.message}`;
  return `stopped by a bug: ${errorMessage(error)}`;
};
