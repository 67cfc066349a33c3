import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import type { Account } from '../accounts/accountStore.ts';
import type { Browser, Session } from '../accounts/sessionStore.ts';
import type { Phrase } from './phrases.ts';
import type { Form } from './readForm.ts';

/** A user who is signed in. */
export interface SignedIn {
  readonly account: Account;
  readonly session: Session;
  /** Token of the session, for closing it. */
  readonly token: string;
  /** Whether the account may see the state of the service. */
  readonly isOperator: boolean;
}

/** Names of cookies: the prefix binds them to this host and to secure connections. */
export const COOKIES = {
  /** The session of somebody signed in. */
  session: '__Host-session',
  /** A browser without a session: forms are bound to this cookie. */
  visitor: '__Host-visitor',
  /** Between password and second factor. */
  secondFactor: '__Host-second-factor',
  /** Between this service and the identity provider. */
  oidc: '__Host-oidc',
} as const;
export type CookieName = keyof typeof COOKIES;

/** A validated request for a page. */
export interface Visit {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Form;
  /** The raw query string. */
  readonly querystring: string;
  /** Fields of a posted form; empty for other requests. */
  readonly form: Form;
  readonly cookie: (name: CookieName) => string | undefined;
  readonly browser: Browser;
  /** Whether only a part of the page is requested, to replace that part in an open page. */
  readonly wantsPart: boolean;
  /** The language of the page: from `lang`, else English. */
  readonly language: Language;
  readonly nowMs: number;
  /** Aborts when the client disconnects or the request times out. */
  readonly signal: AbortSignal;
}

/** A visit of a signed-in user. */
export interface AccountVisit extends Visit {
  readonly by: SignedIn;
}

/** The link preview of a page. */
export interface Preview {
  readonly description: string;
  /** Which of the preview pictures in the assets to use. */
  readonly picture: 'start' | 'avoid' | 'wait' | 'no_finding';
  /** The canonical path of the page. */
  readonly path: string;
}

/**
 * A title that is the same in every language, such as a token's name, or a phrase in the visitor's language.
 */
export type Title = Phrase | { readonly text: string };

/** The response of a page. */
export type Answer =
  | {
      readonly kind: 'page';
      /** Name of the template in `views`. */
      readonly view: string;
      readonly title: Title;
      readonly data: object;
      /** The link preview of the page; without one, search engines are told not to index it. */
      readonly preview?: Preview;
      readonly status?: number;
      /** Seconds until a retry, with status 429. */
      readonly retryAfterS?: number;
      /** Cookie to set to a token, or to remove if null. */
      readonly cookies?: Partial<Record<CookieName, string | null>>;
      /** Language of the page if the address does not give it. */
      readonly language?: Language;
    }
  | {
      readonly kind: 'redirect';
      /** A path of this service, or the identity provider's page. */
      readonly to: string;
      readonly cookies?: Partial<Record<CookieName, string | null>>;
      readonly language?: Language;
    }
  | { readonly kind: 'json'; readonly body: object }
  /** The handler writes events itself until the visitor disconnects. */
  | { readonly kind: 'events'; readonly start: (events: Events) => () => void };

/** Server-sent events to one open page. */
export interface Events {
  /** Sends one event; a visitor who reads too slowly is disconnected. */
  readonly write: (event: { name: string; data: string }) => void;
  readonly end: () => void;
}

/** A visit that may be of a signed-in user. */
export interface PublicVisit extends Visit {
  readonly by?: SignedIn | undefined;
}

interface PageMarks {
  /** The label in the dashboard's menu; absent if the page is not in the menu. */
  readonly section?: Phrase;
  /** Whether the page reads so much that it shares the limit of expensive API requests. */
  readonly isHeavy?: true;
  /**
   * Whether the page is public. Visitors without an account get it from a cache for some seconds, with a rate limit
   * per address; such a page holds no form that changes something.
   */
  readonly isLookUp?: true;
  /**
   * Whether mail programs may post to it with one click (RFC 8058). Such a request comes from no page of ours; a
   * secret token in the address authorises it.
   */
  readonly isOneClick?: true;
}

type Method = 'get' | 'post';
/** Path with parameters as `:name`. */
type Path = `/${string}`;

/** One page or one action of the dashboard. */
export type Page = { readonly method: Method; readonly path: Path } & PageMarks &
  (
    | { readonly access: 'public'; readonly handle: (visit: PublicVisit) => Promise<Answer> }
    | {
        readonly access: 'account' | 'operator';
        readonly handle: (visit: AccountVisit) => Promise<Answer>;
      }
  );

type RowFor<Ports, Access, Visited> = readonly [
  access: Access,
  method: Method,
  path: Path,
  handle: (ports: Ports, visit: Visited) => Promise<Answer>,
  marks?: PageMarks,
];
type PageRow<Ports> =
  | RowFor<Ports, 'public', PublicVisit>
  | RowFor<Ports, 'account' | 'operator', AccountVisit>;

/** Pages by who may see them and how they are requested, created once their dependencies are known. */
export const definePages =
  <Ports>(rows: readonly PageRow<Ports>[]) =>
  (ports: Ports): Page[] =>
    rows.map(([access, method, path, handle, marks]): Page => {
      const common = { method, path, ...marks };
      return access === 'public'
        ? { access, ...common, handle: (visit) => handle(ports, visit) }
        : { access, ...common, handle: (visit) => handle(ports, visit) };
    });

/** Errors of a form by field, in the visitor's language; `form` is for the whole form. */
export type FieldErrors = Readonly<Record<string, string>>;

/** A page from a template. */
export const show = (
  view: string,
  title: Title,
  data: object,
  extra: Partial<
    Pick<Extract<Answer, { kind: 'page' }>, 'status' | 'retryAfterS' | 'cookies' | 'preview'>
  > = {},
): Answer => ({ kind: 'page', view, title, data, ...extra });

/** A page with a form; status 400 if the form was filled in wrongly. */
export const showForm = <T extends { readonly errors: FieldErrors }>(
  view: string,
  title: Title,
  data: T,
): Answer => show(view, title, data, { status: Object.keys(data.errors).length > 0 ? 400 : 200 });

/** A redirect to another page, after an action. */
export const goTo = (
  to: string,
  cookies: Partial<Record<CookieName, string | null>> = {},
): Answer => ({ kind: 'redirect', to, cookies });

/** The language that a query requests. */
export const languageOf = (text: string): Language =>
  LANGUAGES.find((language) => language === text) ?? 'en';

/** A path of this service in the language of a visit. */
export const inLanguageOf = ({ language }: Pick<Visit, 'language'>, path: string): string =>
  language === 'en' || /[?&]lang=/.test(path)
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;

const PAGE_PATH = /^\/(?:$|(?:dashboard|token|wallet|ring|search|network)(?:\/|$))/;

/** Whether a path belongs to a page: the front page, a public look-up, or the dashboard. */
export const isPagePath = (path: string): boolean => PAGE_PATH.test(path);

/** The page that a visitor wanted before signing in; never another site. */
export const safePath = (wanted: string): string =>
  /^\/(?:dashboard|token|wallet|ring)(?:[/?][A-Za-z0-9/?=&_.%-]*)?$/.test(wanted) &&
  !/\/\/|\.\./.test(wanted)
    ? wanted
    : '/dashboard';
