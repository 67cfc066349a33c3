import Koa from 'koa';
import type { Gatekeeper } from '../accounts/admission.ts';
import { serveMcp } from '../mcp/serveMcp.ts';
import { notFound } from './apiError.ts';
import { createOpenApi } from './documentation/openapi.ts';
import { serveDocs } from './documentation/serveDocs.ts';
import { createEndpoints, type EndpointPorts } from './endpoints.ts';
import { allowOrigins } from './middleware/allowOrigins.ts';
import { createAuthenticate, reportQuota } from './middleware/authenticate.ts';
import {
  CONCURRENCY_LIMITS,
  type Concurrency,
  type ConcurrencyLimit,
  type ConcurrencyLimits,
  createConcurrency,
} from './middleware/concurrency.ts';
import { encodeBody } from './middleware/encodeBody.ts';
import type { Idempotency } from './middleware/idempotency.ts';
import { limitRequests } from './middleware/limitRequests.ts';
import { observeRequests, type RequestMeter } from './middleware/observeRequests.ts';
import type { RequestState } from './middleware/requestState.ts';
import { serveProbes } from './middleware/serveProbes.ts';
import { shapeErrors } from './middleware/shapeErrors.ts';
import { mountEndpoints } from './mountEndpoints.ts';

/** Dependencies of the application. */
export interface AppPorts extends EndpointPorts {
  readonly gatekeeper: Gatekeeper;
  readonly idempotency: Idempotency;
  /** Absent if requests are not counted. */
  readonly meter?: RequestMeter;
  /** The web pages; absent if only the API is served. */
  readonly dashboard?: (
    concurrency: Pick<Concurrency, 'runDashboard' | 'runHeavy'>,
  ) => Koa.Middleware<RequestState>;
  /** Limits of concurrent requests; defaults if absent. */
  readonly concurrencyLimits?: Partial<ConcurrencyLimits>;
  /** Milliseconds that a request may take; a default if absent. */
  readonly requestMsMax?: number;
  /** Aborted when this process is about to stop: it still answers, but asks clients to connect elsewhere. */
  readonly draining?: AbortSignal;
}

/** The whole HTTP application, without a server or clients of its own. */
export const createApp = (ports: AppPorts): Koa<RequestState> => {
  const { logger, clock, gatekeeper, health, baseUrl, idempotency, usage, meter, draining } = ports;
  const now = (): number => clock.now();
  const endpoints = createEndpoints(ports);
  const limits = { ...CONCURRENCY_LIMITS, ...ports.concurrencyLimits };
  const onRefused = (limit: ConcurrencyLimit): void => meter?.refused(limit);
  const concurrency = createConcurrency(limits, onRefused);
  const authenticate = createAuthenticate({ gatekeeper, baseUrl });
  const operations = mountEndpoints({
    endpoints,
    authenticate,
    gatekeeper,
    idempotency,
    concurrency,
    now,
    baseUrl,
  });
  const app = new Koa<RequestState>();
  // Requests that fail before the first middleware, and responses whose client has disconnected.
  app.on('error', (error) => logger.debug({ err: error }, 'connection error'));
  app
    .use(observeRequests({ logger, meter, usage, now, draining }))
    .use(reportQuota({ gatekeeper, now, logger }))
    .use(encodeBody())
    .use(shapeErrors({ logger, now }))
    .use(allowOrigins)
    .use(serveProbes(health, draining))
    .use(
      limitRequests({ addressMax: limits.addressMax, onRefused, requestMsMax: ports.requestMsMax }),
    )
    .use(ports.dashboard?.(concurrency) ?? ((_, next) => next()))
    .use(serveDocs({ writeDocument: () => createOpenApi(endpoints, baseUrl), baseUrl }))
    .use(serveMcp({ authenticate, application: () => app.callback() }))
    .use(operations as Koa.Middleware<RequestState>)
    .use(async (ctx) => {
      await authenticate(ctx, { day: 1, minute: 1 });
      throw notFound('no such path');
    });
  return app;
};
