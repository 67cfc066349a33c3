import type Koa from 'koa';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Concurrency } from '../server/middleware/concurrency.ts';
import type { RequestState } from '../server/middleware/requestState.ts';
import { type MountPorts, mountPages } from './mountPages.ts';
import { isPagePath } from './page.ts';
import { accountPages } from './pages/account.ts';
import type { AccountPorts } from './pages/accountPorts.ts';
import { type AlertMailPorts, alertMailPages } from './pages/alertMails.ts';
import { type AnalysisPorts, analysisPages } from './pages/analysis.ts';
import { type DisputePorts, disputePages } from './pages/dispute.ts';
import { type FeedPorts, feedPages } from './pages/feed.ts';
import { type FrontPorts, frontPages } from './pages/front.ts';
import { identityPages } from './pages/identity.ts';
import { type KeyPorts, keyPages } from './pages/keys.ts';
import { type OperationsPorts, operationsPages } from './pages/operations.ts';
import { resetPages } from './pages/resetPassword.ts';
import { signInPages } from './pages/signIn.ts';
import { signUpPages } from './pages/signUp.ts';
import { type TokenPorts, tokenPages } from './pages/token.ts';
import { type ListPorts, listPages } from './pages/tokens.ts';
import { type UsagePorts, usagePages } from './pages/usage.ts';
import { type WalletPorts, walletPages } from './pages/wallets.ts';
import { type WatchingPorts, watchingPages } from './pages/watching.ts';
import { type WebhookPorts, webhookPages } from './pages/webhooks.ts';
import { createRender } from './render.ts';
import { serveAssets } from './serveAssets.ts';

/** Everything the dashboard talks to. */
export type DashboardPorts = AccountPorts &
  AlertMailPorts &
  AnalysisPorts &
  DisputePorts &
  FrontPorts &
  ListPorts &
  Omit<FeedPorts, 'render'> &
  KeyPorts &
  OperationsPorts &
  TokenPorts &
  UsagePorts &
  WalletPorts &
  WatchingPorts &
  WebhookPorts & {
    readonly operators: ReadonlySet<string>;
    readonly chain: MountPorts['chain'];
    /** What CSRF tokens are made with. */
    readonly secret: string;
    readonly logger: Logger;
  };

const FORM = 'application/x-www-form-urlencoded';

/**
 * Whether a request is for a page. Public pages stand beside paths of the API (`/token/…`, `/tokens/…`): what carries a
 * key, or a body that is no form, is a call of the API with a wrong path, and gets the error of the API.
 */
const isForPage = ({ path, method, request }: Koa.Context): boolean =>
  isPagePath(path) &&
  (path.startsWith('/dashboard') ||
    (request.headers['x-api-key'] === undefined &&
      (method === 'GET' || method === 'HEAD' || request.type === FORM)));

/** Whether somebody followed a link: programs do not ask for HTML before JSON. */
const isNavigation = (ctx: Koa.Context): boolean =>
  ctx.method === 'GET' &&
  ctx.headers['x-api-key'] === undefined &&
  ctx.accepts('json', 'html') === 'html';

/** The web face of the service: the front door, what anyone may look up, and the dashboard. */
export const createDashboard = (
  ports: DashboardPorts,
  concurrency: Pick<Concurrency, 'runDashboard' | 'runHeavy'>,
): Koa.Middleware<RequestState> => {
  const render = createRender();
  const pages = [
    ...signUpPages(ports),
    ...signInPages(ports),
    ...resetPages(ports),
    ...identityPages(ports),
    ...accountPages(ports),
    ...keyPages(ports),
    ...usagePages(ports),
    ...frontPages(ports),
    ...listPages(ports),
    ...tokenPages(ports),
    ...analysisPages(ports),
    ...disputePages(ports),
    ...walletPages(ports),
    ...watchingPages(ports),
    ...webhookPages(ports),
    ...alertMailPages(ports),
    ...feedPages({ ...ports, render }),
    ...operationsPages(ports),
  ];
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
        // What is no path of the API either is a link to nowhere: people get a page that says so.
        if (!isNavigation(ctx) || ctx.state.operation !== undefined) throw error;
        await mounted(ctx, next);
      }
    });
};
