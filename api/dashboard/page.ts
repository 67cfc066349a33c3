import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import type { Account } from '../accounts/accountStore.ts';
import type { Browser, Session } from '../accounts/sessionStore.ts';
import type { Phrase } from './phrases.ts';
import type { Form } from './readForm.ts';

/** Somebody signed in. */
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
  /** A browser before it has a session: forms are bound to it. */
  visitor: '__Host-visitor',
  /** Between password and second factor. */
  secondFactor: '__Host-second-factor',
  /** Between this service and the identity provider. */
  oidc: '__Host-oidc',
} as const;
export type CookieName = keyof typeof COOKIES;

/** A request for a page, checked. */
export interface Visit {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Form;
  /** The query as it was sent. */
  readonly querystring: string;
  /** Fields of a posted form; empty for other requests. */
  readonly form: Form;
  readonly cookie: (name: CookieName) => string | undefined;
  readonly browser: Browser;
  /** Whether only a part of the page is asked for, to be put into one that is open. */
  readonly wantsPart: boolean;
  /** What sentences are written in: asked for with `lang`, else English. */
  readonly language: Language;
  readonly nowMs: number;
  /** Aborts when the client has gone or the time of the request is over. */
  readonly signal: AbortSignal;
}

/** A visit of somebody signed in. */
export interface AccountVisit extends Visit {
  readonly by: SignedIn;
}

/** A page as others show a link to it. */
export interface Preview {
  readonly description: string;
  /** Of the pictures among the assets, the one that fits. */
  readonly picture: 'start' | 'avoid' | 'wait' | 'no_finding';
  /** The one path under which the page should be known. */
  readonly path: string;
}

/** A title that is the same in every language, such as the name of a token, or one that is said in the visitor's. */
export type Title = Phrase | { readonly text: string };

/** What a page answers. */
export type Answer =
  | {
      readonly kind: 'page';
      /** Name of the template in `views`. */
      readonly view: string;
      readonly title: Title;
      readonly data: object;
      /** What a link to the page is shown with elsewhere; without it, searches are asked to pass it over. */
      readonly preview?: Preview;
      readonly status?: number;
      /** Seconds after which to try again, with status 429. */
      readonly retryAfterS?: number;
      /** Set to a token, or removed where null. */
      readonly cookies?: Partial<Record<CookieName, string | null>>;
      /** Where the address does not say it. */
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
  /** The handler writes events itself until the visitor leaves. */
  | { readonly kind: 'events'; readonly start: (events: Events) => () => void };

/** Server-sent events to one open page. */
export interface Events {
  /** Sends one; a visitor who reads too slowly is cut off instead. */
  readonly write: (event: { name: string; data: string }) => void;
  readonly end: () => void;
}

/** A visit of somebody who may be signed in. */
export interface PublicVisit extends Visit {
  readonly by?: SignedIn | undefined;
}

interface PageMarks {
  /** What the menu of the dashboard calls it; absent where it is not in the menu. */
  readonly section?: Phrase;
  /** Whether it reads so much that few visitors may at once, together with the costly requests of the API. */
  readonly isHeavy?: true;
  /**
   * Whether it shows what anyone may look up. Visitors without an account get it from memory for some seconds, as often as
   * one address may; such a page holds no form that changes something.
   */
  readonly isLookUp?: true;
  /**
   * Whether mail programs may post to it with one click (RFC 8058): they come from no page of ours, and what they may is in a secret token
   * in the address.
   */
  readonly isOneClick?: true;
}

type Method = 'get' | 'post';
/** With parameters as `:name`. */
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

/** Pages by who may see them and how they are asked for, made once it is known what they work with. */
export const definePages =
  <Ports>(rows: readonly PageRow<Ports>[]) =>
  (ports: Ports): Page[] =>
    rows.map(([access, method, path, handle, marks]): Page => {
      const common = { method, path, ...marks };
      return access === 'public'
        ? { access, ...common, handle: (visit) => handle(ports, visit) }
        : { access, ...common, handle: (visit) => handle(ports, visit) };
    });

/** What is wrong with the fields of a form, by field, in the visitor's language; `form` for the whole. */
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

/** A page with a form; one that was filled in wrongly is answered with status 400. */
export const showForm = <T extends { readonly errors: FieldErrors }>(
  view: string,
  title: Title,
  data: T,
): Answer => show(view, title, data, { status: Object.keys(data.errors).length > 0 ? 400 : 200 });

/** A way to another page, after an action. */
export const goTo = (
  to: string,
  cookies: Partial<Record<CookieName, string | null>> = {},
): Answer => ({ kind: 'redirect', to, cookies });

/** The language a query asks for. */
export const languageOf = (text: string): Language =>
  LANGUAGES.find((language) => language === text) ?? 'en';

/** A path of this service whose page is written in the language of a visit. */
export const inLanguageOf = ({ language }: Pick<Visit, 'language'>, path: string): string =>
  language === 'en' || /[?&]lang=/.test(path)
    ? path
    : `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;

const PAGE_PATH = /^\/(?:$|(?:dashboard|token|wallet|ring|search|network)(?:\/|$))/;

/** Whether a path is that of a page: the front door, what anyone may look up, or the dashboard. */
export const isPagePath = (path: string): boolean => PAGE_PATH.test(path);

/** A page a visitor wanted before signing in; never another site. */
export const safePath = (wanted: string): string =>
  /^\/(?:dashboard|token|wallet|ring)(?:[/?][A-Za-z0-9/?=&_.%-]*)?$/.test(wanted) &&
  !/\/\/|\.\./.test(wanted)
    ? wanted
    : '/dashboard';
