import { PassThrough } from 'node:stream';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import type { AccountStore } from '../accounts/accountStore.ts';
import { newToken } from '../accounts/secretToken.ts';
import type { SessionStore } from '../accounts/sessionStore.ts';
import type { Throttle } from '../accounts/throttle.ts';
import { ApiError } from '../server/apiError.ts';
import type { Concurrency } from '../server/middleware/concurrency.ts';
import type { RequestState } from '../server/middleware/requestState.ts';
import { admitVisitor, createPageCache, type PageCache, sendCached } from './cachedPages.ts';
import { csrfToken, isCsrfTokenRight, isSameOrigin } from './csrf.ts';
import { FORMATS } from './formats.ts';
import {
  type Answer,
  COOKIES,
  type CookieName,
  type Events,
  inLanguageOf,
  isPagePath,
  languageOf,
  type Page,
  type SignedIn,
  type Visit,
} from './page.ts';
import { isPhrase, type Phrase, phrasesIn, wordsIn } from './phrases.ts';
import { type Form, formOf, readForm } from './readForm.ts';
import type { Render } from './render.ts';

/** Dependencies of all pages. */
export interface MountPorts {
  readonly pages: readonly Page[];
  readonly render: Render;
  readonly concurrency: Pick<Concurrency, 'runDashboard' | 'runHeavy'>;
  readonly accounts: Pick<AccountStore, 'find'>;
  readonly sessions: Pick<SessionStore, 'read'>;
  readonly throttle: Pick<Throttle, 'waitS'>;
  /** E-mail addresses that may see the state of the service. */
  readonly operators: ReadonlySet<string>;
  /** Origin of the service as configured. */
  readonly origin: string;
  /** The chain that all pages are about, and its block explorer. */
  readonly chain: { readonly name: string; readonly explorer?: string | undefined };
  /** Secret for CSRF tokens. */
  readonly secret: string;
  readonly now: () => number;
  readonly logger: Logger;
}

const YEAR_S = 31_536_000;
/** Seconds for which a browser keeps a cookie; the service forgets its value no later. */
const COOKIE_S: Record<CookieName, number> = {
  session: 30 * 86_400,
  visitor: YEAR_S,
  secondFactor: 300,
  oidc: 600,
};
/** Bytes of events that a slow visitor may leave unread. */
const UNREAD_BYTES_MAX = 256 * 1024;
const HEARTBEAT_MS = 15_000;

/** Scripts and styles of this origin only, no frame around it, forms to itself. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The notice shown after an action, by the name of the action in the query. */
const doneOf = (name: string): Phrase | undefined => {
  const phrase = `done_${name}`;
  return isPhrase(phrase) ? phrase : undefined;
};

const setCookie = (ctx: Context, name: CookieName, value: string | null): void => {
  const maxAgeS = value === null ? 0 : COOKIE_S[name];
  ctx.append(
    'Set-Cookie',
    `${COOKIES[name]}=${value ?? ''}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Lax`,
  );
};

const cookieOf = (ctx: Context, name: CookieName): string | undefined =>
  ctx.cookies.get(COOKIES[name]);

/** The user of a request, if it carries an open session. */
const identify = async (ctx: Context, ports: MountPorts): Promise<SignedIn | undefined> => {
  const token = cookieOf(ctx, 'session');
  const session = await ports.sessions.read(token);
  const account = session && (await ports.accounts.find(session.accountId));
  if (token === undefined || !session || !account) return undefined;
  return { account, session, token, isOperator: ports.operators.has(account.email) };
};

/** The cookie that forms of this browser are bound to; created if absent. */
const bindingOf = (ctx: Context): string => {
  const known = cookieOf(ctx, 'session') ?? cookieOf(ctx, 'visitor');
  if (known !== undefined) return known;
  const visitor = newToken();
  setCookie(ctx, 'visitor', visitor);
  return visitor;
};

/** @throws ApiError 403 for a form that was not sent by a page of this service. */
const checkSource = (ctx: Context, form: Form, ports: MountPorts): void => {
  const binding = cookieOf(ctx, 'session') ?? cookieOf(ctx, 'visitor') ?? '';
  const headers = { origin: ctx.get('Origin'), fetchSite: ctx.get('Sec-Fetch-Site') };
  const own = [ports.origin, `http://${ctx.host}`, `https://${ctx.host}`];
  const isOurs = binding !== '' && isCsrfTokenRight(ports.secret, binding, form.text('_csrf'));
  if (isOurs && isSameOrigin(headers, own)) return;
  throw new ApiError({
    status: 403,
    error: 'Forbidden',
    message: phrasesIn('en')('fault_403'),
  });
};

/** Sends events until the visitor leaves or reads too slowly. */
const streamEvents = (ctx: Context, start: (events: Events) => () => void): void => {
  const stream = new PassThrough();
  const write: Events['write'] = ({ name, data }) => {
    if (!stream.writable) return;
    if (stream.writableLength + stream.readableLength > UNREAD_BYTES_MAX) {
      stream.destroy();
      return;
    }
    const lines = data.split('\n').map((line) => `data: ${line}`);
    stream.write(`event: ${name}\n${lines.join('\n')}\n\n`);
  };
  const stop = start({ write, end: () => stream.end() });
  const heartbeat = setInterval(() => {
    if (stream.writable) stream.write(':\n\n');
  }, HEARTBEAT_MS);
  const end = (): void => {
    clearInterval(heartbeat);
    stop();
    stream.destroy();
  };
  ctx.res.once('close', end);
  stream.once('close', end);
  stream.write(':\n\n');
  ctx.type = 'text/event-stream';
  ctx.body = stream;
};

/** Path and query of the page that a form was on; the front page if the browser does not say. */
const pageOfForm = (ctx: Context): Pick<URL, 'pathname' | 'search'> => {
  const referer = ctx.get('Referer');
  const page = URL.canParse(referer) ? new URL(referer) : undefined;
  return page && isPagePath(page.pathname) ? page : { pathname: '/', search: '' };
};

/**
 * Links to the open page in each language. The answer to a form cannot be requested again. For a refused form the
 * links lead to its page; for others there are none, because the answer may hold a secret that is shown once.
 */
const languageLinks = (ctx: Context): { language: string; href: string }[] => {
  const isAnswer = ctx.method !== 'GET';
  if (isAnswer && ctx.status < 400) return [];
  const { pathname, search } = isAnswer
    ? pageOfForm(ctx)
    : { pathname: '', search: ctx.querystring };
  return LANGUAGES.map((language) => {
    const query = new URLSearchParams(search);
    query.delete('done');
    query.set('lang', language);
    return { language, href: `${pathname}?${query.toString()}` };
  });
};

const renderPage = (
  ctx: Context,
  { view, title, data, preview }: Extract<Answer, { kind: 'page' }>,
  visit: Pick<Visit, 'language' | 'query'>,
  ports: MountPorts,
  own: { by?: SignedIn | undefined; csrf?: string; isUnsure?: boolean },
): string => {
  const { language } = visit;
  const say = phrasesIn(language);
  const done = doneOf(visit.query.text('done'));
  return ports.render(view, {
    ...data,
    page: {
      ...own,
      title: typeof title === 'string' ? say(title) : title.text,
      preview,
      language,
      languages: languageLinks(ctx),
      lang: inLanguageOf(visit, ''),
      path: ctx.path,
      origin: ports.origin,
      chain: ports.chain,
      done: done && say(done),
    },
    sections: ports.pages.filter(({ section }) => section),
    format: FORMATS[language],
    say,
    to: (path: string) => inLanguageOf(visit, path),
    words: wordsIn(language),
  });
};

const send = (
  ctx: Context,
  answer: Answer,
  asked: Visit,
  by: SignedIn | undefined,
  ports: MountPorts,
): void => {
  const language = 'language' in answer ? answer.language : undefined;
  const visit = language ? { ...asked, language } : asked;
  if ('cookies' in answer) {
    for (const [name, value] of Object.entries(answer.cookies ?? {})) {
      setCookie(ctx, name as CookieName, value);
    }
  }
  switch (answer.kind) {
    case 'redirect': {
      const to = answer.to.startsWith('/') ? inLanguageOf(visit, answer.to) : answer.to;
      // The requested part of the page no longer exists, so the whole page is replaced.
      if (visit.wantsPart) ctx.set('HX-Redirect', to);
      else ctx.redirect(to);
      ctx.status = visit.wantsPart ? 204 : 303;
      break;
    }
    case 'json':
      ctx.body = answer.body;
      break;
    case 'events':
      streamEvents(ctx, answer.start);
      break;
    case 'page':
      ctx.status = answer.status ?? 200;
      if (answer.retryAfterS !== undefined) ctx.set('Retry-After', String(answer.retryAfterS));
      ctx.type = 'text/html';
      ctx.body = renderPage(ctx, answer, visit, ports, {
        by,
        csrf: csrfToken(ports.secret, bindingOf(ctx)),
      });
  }
};

const languageAskedFor = (ctx: Context): Language =>
  languageOf(new URLSearchParams(ctx.querystring).get('lang') ?? '');

const visitOf = (ctx: Context, form: Form, ports: MountPorts): Visit => ({
  params: ctx['params'] as Record<string, string>,
  query: formOf(new URLSearchParams(ctx.querystring)),
  querystring: ctx.querystring,
  form,
  cookie: (name) => cookieOf(ctx, name),
  browser: { userAgent: ctx.get('User-Agent'), address: ctx.ip },
  wantsPart: ctx.get('HX-Request') === 'true' && ctx.get('HX-Boosted') !== 'true',
  language: languageAskedFor(ctx),
  nowMs: ports.now(),
  signal: (ctx.state as RequestState).signal?.() ?? AbortSignal.timeout(0),
});

/** A public page for a visitor without an account, from the cache if possible. */
const serveLookUp = async (
  ctx: Context,
  page: Extract<Page, { access: 'public' }>,
  visit: Visit,
  ports: MountPorts & { cached: PageCache },
): Promise<void> => {
  await admitVisitor(ports.throttle, 'look-up', ctx.ip);
  const known = ports.cached.find(ctx.url);
  if (known) return sendCached(ctx, known);
  const read = () => page.handle(visit);
  const isWanted = () => !ctx.res.closed;
  const answer = await (page.isHeavy ? ports.concurrency.runHeavy(read, isWanted) : read());
  const made =
    answer.kind === 'json'
      ? ({ type: 'application/json', body: JSON.stringify(answer.body) } as const)
      : answer.kind === 'page' && answer.preview
        ? ({ type: 'text/html', body: renderPage(ctx, answer, visit, ports, {}) } as const)
        : undefined;
  if (!made) return send(ctx, answer, visit, undefined, ports);
  ports.cached.store(ctx.url, made);
  sendCached(ctx, made);
};

const EMPTY_FORM = formOf(new URLSearchParams());

/**
 * Whether a mail program unsubscribes its reader: it sends no cookies and does not come from a page of this service.
 */
const isUnsubscription = (page: Page, form: Form): boolean =>
  page.access === 'public' &&
  page.isOneClick === true &&
  form.text('List-Unsubscribe') === 'One-Click';

/** Serves one page to the users allowed to see it. */
const servePage = async (
  ctx: Context,
  page: Page,
  form: Form,
  ports: MountPorts & { cached: PageCache },
): Promise<void> => {
  if (page.method === 'post' && !isUnsubscription(page, form)) checkSource(ctx, form, ports);
  const by = await identify(ctx, ports);
  const visit = visitOf(ctx, form, ports);
  if (page.access === 'public') {
    if (page.isLookUp && !by) return serveLookUp(ctx, page, visit, ports);
    send(ctx, await page.handle({ ...visit, by }), visit, by, ports);
    return;
  }
  if (!by) {
    const next = page.method === 'get' ? `?next=${encodeURIComponent(ctx.url)}` : '';
    ctx.redirect(inLanguageOf(visit, `/dashboard/sign-in${next}`));
    ctx.status = 303;
    return;
  }
  if (page.access === 'operator' && !by.isOperator) {
    throw new ApiError({ status: 404, error: 'Not found', message: 'There is no such page.' });
  }
  send(ctx, await page.handle({ ...visit, by }), visit, by, ports);
};

/** An error message for the user, without internals. */
const messageOf = (error: unknown, say: ReturnType<typeof phrasesIn>): [number, string] => {
  if (error instanceof RetryableError) return [503, say('fault_503')];
  if (!(error instanceof ApiError)) return [500, say('fault_500')];
  const { status, message, headers } = error.options;
  const phrase = `fault_${status}`;
  if (!isPhrase(phrase)) return [status, message];
  return [status, say(phrase, { seconds: headers?.['Retry-After'] ?? '' })];
};

/**
 * The signed-in user of a failed request and a form token. Both are unknown if the failure may come from Redis, which
 * is not asked twice.
 */
const visitorOf = async (ctx: Context, error: unknown, ports: MountPorts) => {
  const isUnsure = cookieOf(ctx, 'session') !== undefined;
  if (error instanceof RetryableError) return { isUnsure };
  try {
    const by = await identify(ctx, ports);
    return by ? { by, csrf: csrfToken(ports.secret, by.token) } : {};
  } catch {
    return { isUnsure };
  }
};

const showFailure = async (ctx: Context, error: unknown, ports: MountPorts): Promise<void> => {
  const requestId = (ctx.state as RequestState).requestId;
  const language = languageAskedFor(ctx);
  const [status, message] = messageOf(error, phrasesIn(language));
  if (error instanceof ApiError) ctx.set({ ...error.options.headers });
  else if (error instanceof RetryableError) {
    ports.logger.warn({ requestId, err: error }, 'dependency away');
  } else {
    ports.logger.error({ requestId, err: error }, 'page failed by a bug');
  }
  ctx.status = status;
  ctx.type = 'text/html';
  const title = status === 404 ? 'notFound' : 'wrong';
  const page = { kind: 'page', view: 'failure', title, data: { message, requestId } } as const;
  ctx.body = renderPage(
    ctx,
    page,
    { language, query: EMPTY_FORM },
    ports,
    await visitorOf(ctx, error, ports),
  );
};

/** All pages, with their protection around them. */
export const mountPages = (given: MountPorts): Middleware<RequestState> => {
  const ports = { ...given, cached: createPageCache() };
  const router = new Router({ sensitive: true });
  for (const page of ports.pages) {
    router[page.method](page.path, async (request) => {
      const ctx = request as unknown as Context;
      const form = page.method === 'post' ? await readForm(ctx) : EMPTY_FORM;
      await ports.concurrency.runDashboard(() => servePage(ctx, page, form, ports));
    });
  }
  const routes = router.routes() as unknown as Middleware<RequestState>;
  return async (ctx) => {
    // Pages contain a form token, so they are never compressed together with text from others (BREACH).
    ctx.state.isPublic = true;
    ctx.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    });
    try {
      await routes(ctx, async () => {
        throw new ApiError({ status: 404, error: 'Not found', message: 'There is no such page.' });
      });
    } catch (error) {
      await showFailure(ctx as unknown as Context, error, ports);
    }
  };
};
