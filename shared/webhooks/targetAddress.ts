import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { errorMessage } from '../platform/errors.ts';

/** Resolves a host name to all of its addresses. */
export type Resolve = (host: string) => Promise<{ address: string; family: number }[]>;

/** Why a URL cannot be a target; `message` may be shown to the client. */
export class TargetRefusal extends Error {
  override readonly name = 'TargetRefusal';
}

const RESOLVE_MS_MAX = 3_000;
/** Attempts at a name server. */
const QUERIES_MAX = 2;
const URL_LENGTH_MAX = 2_048;
const PORTS_ALLOWED: ReadonlySet<string> = new Set(['', '443', '8443']);
/** The part of IPv6 assigned to the public internet (RFC 4291 2.4, IANA). */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Rejects when the signal aborts, whatever happens to the work. */
export const inTime = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('too late'));
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

/** The resolver of the system. */
export const systemResolve: Resolve = (host) =>
  inTime(lookup(host, { all: true, verbatim: true }), AbortSignal.timeout(RESOLVE_MS_MAX));

/**
 * Queries the name servers directly. The system's resolver uses one of the process's few threads per name; a few
 * names that are never answered could block all of them, and so every other receiver.
 * @param options.servers those of the system if absent
 * @param options.resolveMsMax milliseconds for one name
 */
export const createResolve = (
  options: { servers?: readonly string[]; resolveMsMax?: number } = {},
): Resolve => {
  const msMax = options.resolveMsMax ?? RESOLVE_MS_MAX;
  const resolver = new Resolver({ timeout: msMax / QUERIES_MAX, tries: QUERIES_MAX });
  if (options.servers) resolver.setServers(options.servers);
  const ask: Resolve = async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const known = (found: typeof v4, family: number) =>
      found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : [];
    const addresses = [...known(v4, 4), ...known(v6, 6)];
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
    return addresses;
  };
  return (host) => inTime(ask(host), AbortSignal.timeout(msMax));
};

/**
 * How targets are resolved: if they may be private, by the system, which knows local names; otherwise by name servers
 * only.
 */
export const resolveFor = (allowPrivate: boolean): Resolve =>
  allowPrivate ? systemResolve : createResolve();

/**
 * Whether an address is public: not in a private, loopback, link-local, shared, multicast, documentation or reserved
 * range; an IPv4 address inside an IPv6 one counts as itself.
 */
export const isPublicAddress = (text: string): boolean => {
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST_V6);
};

/** Parses a target's URL, without resolving it. */
const parseTarget = (text: string, allowPrivate: boolean): URL => {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) throw new TargetRefusal('must be a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw new TargetRefusal('must begin with https://');
  }
  if (url.username || url.password) throw new TargetRefusal('must not carry credentials');
  if (url.hash) throw new TargetRefusal('must not have a fragment');
  if (!allowPrivate && !PORTS_ALLOWED.has(url.port)) {
    throw new TargetRefusal('must use port 443 or 8443');
  }
  return url;
};

const resolveAll = async (
  resolve: Resolve,
  host: string,
): Promise<{ address: string; family: number }[]> => {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  try {
    return await resolve(host);
  } catch (error) {
    throw new TargetRefusal('host cannot be resolved', { cause: errorMessage(error) });
  }
};

/** A URL and the checked address to connect to. */
export interface Target {
  readonly url: URL;
  readonly address: string;
  readonly family: number;
}

/** Checks that a URL may be a target. */
export type FindTarget = (url: string) => Promise<Target>;

/**
 * Every address of the host must be public, so that no answer of its resolver gives access to the internal network.
 * The caller must connect to the returned address and not resolve again.
 * @param args.allowPrivate for tests and on-premise use: any port, http and private addresses too.
 */
export const createFindTarget =
  (args: { resolve: Resolve; allowPrivate: boolean }): FindTarget =>
  async (text) => {
    const url = parseTarget(text, args.allowPrivate);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = await resolveAll(args.resolve, host);
    const first = addresses[0];
    if (!first) throw new TargetRefusal('host cannot be resolved');
    if (!args.allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      throw new TargetRefusal('must not lead to a private, local or reserved address');
    }
    return { url, ...first };
  };
