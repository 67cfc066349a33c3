import type Koa from 'koa';
import type { Logger } from '../../shared/platform/logger.ts';
import type { PortsOf } from '../server/endpoint.ts';
import type { Concurrency } from '../server/middleware/concurrency.ts';
import type { RequestState } from '../server/middleware/requestState.ts';
import { type MountPorts, mountPages } from './mountPages.ts';
import { isPagePath } from './page.ts';
import { accountPages } from './pages/account.ts';
import { alertMailPages } from './pages/alertMails.ts';
import { analysisPages } from './pages/analysis.ts';
import { disputePages } from './pages/dispute.ts';
import { feedPages } from './pages/feed.ts';
import { frontPages } from './pages/front.ts';
import { identityPages } from './pages/identity.ts';
import { keyPages } from './pages/keys.ts';
import { operationsPages } from './pages/operations.ts';
import { resetPages } from './pages/resetPassword.ts';
import { signInPages } from './pages/signIn.ts';
import { signUpPages } from './pages/signUp.ts';
import { tokenPages } from './pages/token.ts';
import { listPages } from './pages/tokens.ts';
import { usagePages } from './pages/usage.ts';
import { walletPages } from './pages/wallets.ts';
import { watchingPages } from './pages/watching.ts';
import { webhookPages } from './pages/webhooks.ts';
import { createRender } from './render.ts';
import { serveAssets } from './serveAssets.ts';

/** All pages, in the order of the menu. */
const PAGES = [
  signUpPages,
  signInPages,
  resetPages,
  identityPages,
  frontPages,
  listPages,
  tokenPages,
  analysisPages,
  disputePages,
  walletPages,
  watchingPages,
  webhookPages,
  keyPages,
  usagePages,
  feedPages,
  accountPages,
  alertMailPages,
  operationsPages,
] as const;

/** Everything the dashboard depends on. */
export type DashboardPorts = Omit<PortsOf<(typeof PAGES)[number]>, 'render'> & {
  readonly operators: ReadonlySet<string>;
  readonly chain: MountPorts['chain'];
  /** Secret for CSRF tokens. */
  readonly secret: string;
  readonly logger: Logger;
};

const FORM = 'application/x-www-form-urlencoded';

/**
 * Whether a request is for a page. Public pages share prefixes with API paths (`/token/…`, `/tokens/…`). A request
 * that carries a key, or a body that is not a form, is an API call with a wrong path and gets the API's error.
 */
const isForPage = ({ path, method, request }: Koa.Context): boolean =>
  isPagePath(path) &&
  (path.startsWith('/dashboard') ||
    (request.headers['x-api-key'] === undefined &&
      (method === 'GET' || method === 'HEAD' || request.type === FORM)));

/** Whether a person followed a link: programs do not prefer HTML to JSON. */
const isNavigation = (ctx: Koa.Context): boolean =>
  ctx.method === 'GET' &&
  ctx.headers['x-api-key'] === undefined &&
  ctx.accepts('json', 'html') === 'html';

/** The web pages of the service: the front page, the public look-ups, and the dashboard. */
export const createDashboard = (
  ports: DashboardPorts,
  concurrency: Pick<Concurrency, 'runDashboard' | 'runHeavy'>,
): Koa.Middleware<RequestState> => {
  const render = createRender();
  const pages = PAGES.flatMap((pagesOf) => pagesOf({ ...ports, render }));
  const { origin } = new URL(ports.baseUrl);
  const now = (): number => ports.clock.now();
  const assets = serveAssets();
  const mounted = mountPages({ ...ports, concurrency, pages, render, origin, now });
  return (ctx, next) =>
    assets(ctx, async () => {
      if (isForPage(ctx)) return mounted(ctx, next);
      try {
        await next();
      } catch (error) {
        // A path unknown to the API as well is a broken link: people get a page that says so.
        if (!isNavigation(ctx) || ctx.state.operation !== undefined) throw error;
        await mounted(ctx, next);
      }
    });
};
