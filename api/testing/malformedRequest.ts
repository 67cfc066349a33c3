import { createRandom, type Random } from '../../shared/testing/random.ts';
import type { Endpoint } from '../server/endpoint.ts';
import {
  BODIES,
  CONTENT_TYPES,
  HEADERS,
  METHODS,
  NUMBERS,
  PATH_PIECES,
  type RawRequest,
  TEXTS,
} from './malformedValues.ts';

import { SAMPLE_CALLS, type SampleAccount } from './sampleAccount.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What a request is before it is written to the wire. */
interface Draft {
  method: string;
  path: string;
  /** Encoded pairs. */
  query: string[];
  headers: (readonly [string, string])[];
  body: Json | Buffer | undefined;
}

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const oddValue = (random: Random): Json => {
  const kinds: readonly (() => Json)[] = [
    () => random.pick(TEXTS),
    () => random.pick(NUMBERS),
    () => random.oneIn(2),
    () => null,
    () => nested(1 + random.below(40)),
    () => Array.from({ length: random.below(700) }, () => random.pick(TEXTS)),
    () => ({ [random.pick(TEXTS)]: random.pick(TEXTS), min: random.pick(NUMBERS) }),
  ];
  return random.pick(kinds)();
};

/** Encodes most of a text; now and then it stays as it is, as far as a request line can hold it. */
const encoded = (random: Random, text: string): string =>
  random.oneIn(8) ? text.replace(/[^\u0021-\u00ff]|[#?]/g, '') : encodeURIComponent(text);

const queryNames = (endpoint: Endpoint): string[] => {
  let schema: { _def: { schema?: unknown; shape?: () => object } } = endpoint.query as never;
  while (schema._def.schema) schema = schema._def.schema as typeof schema;
  return Object.keys(schema._def.shape?.() ?? {});
};

const spoilPath = (draft: Draft, random: Random): void => {
  const segments = draft.path.split('/');
  const place = 1 + random.below(segments.length - 1);
  const piece = random.oneIn(3) ? encoded(random, random.pick(TEXTS)) : random.pick(PATH_PIECES);
  const ways: readonly (() => void)[] = [
    () => segments.splice(place, 1, piece),
    () => segments.splice(place, 0, piece),
    () => segments.push(piece),
    () => segments.splice(place, 1, `${segments[place]}${piece}`),
    () => segments.splice(place, 1, (segments[place] ?? '').toUpperCase()),
    () => segments.splice(place, 1),
  ];
  random.pick(ways)();
  draft.path = segments.join('/') || '/';
  if (random.oneIn(40)) draft.path = `http://evil.test${draft.path}`;
};

const spoilQuery = (draft: Draft, random: Random, endpoint: Endpoint): void => {
  const names = [...queryNames(endpoint), 'limit', 'cursor', 'page', 'api_key', 'unknown'];
  const name = random.pick(names);
  const value = encoded(random, random.pick(TEXTS));
  const ways: readonly (() => void)[] = [
    () => draft.query.push(`${name}=${value}`),
    () => draft.query.push(`${name}=${value}`),
    () => draft.query.push(`${name}=1`, `${name}=${value}`),
    () => draft.query.push(`${name}[${value}]=1`),
    () => draft.query.push(`${name}[]=${value}`),
    () => draft.query.push(`${name}.a=${value}`),
    () => draft.query.push(value),
    () => draft.query.push('&&&===&?'),
    () => draft.query.push(`__proto__=${value}`, `constructor[prototype]=${value}`),
    () => draft.query.push(`${name}=%ff%zz%`),
    () => draft.query.push(...Array.from({ length: 500 }, (_, index) => `p${index}=1`)),
  ];
  random.pick(ways)();
};

/** Changes one value somewhere inside. */
const spoilValue = (value: Json, random: Random): Json => {
  if (typeof value !== 'object' || value === null || random.oneIn(4)) return oddValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return [oddValue(random)];
    const place = random.below(value.length);
    return value.map((item, index) => (index === place ? spoilValue(item, random) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0 || random.oneIn(5)) {
    return { ...value, [random.pick(TEXTS)]: oddValue(random) };
  }
  const name = random.pick(names);
  if (random.oneIn(6)) {
    const { [name]: _, ...rest } = value;
    return rest;
  }
  return { ...value, [name]: spoilValue(value[name] ?? null, random) };
};

/** Optional fields that no sample has, so that wrong values reach their rules too. */
const fieldNames = (endpoint: Endpoint): string[] => {
  const schema = endpoint.body as { _def: { schema?: unknown; shape?: () => object } } | undefined;
  const inner = (schema?._def.schema ?? schema) as typeof schema;
  return Object.keys(inner?._def.shape?.() ?? {});
};

const spoilBody = (draft: Draft, random: Random, endpoint: Endpoint): void => {
  if (draft.body === undefined || Buffer.isBuffer(draft.body) || random.oneIn(4)) {
    const body = random.pick(BODIES);
    draft.body = Buffer.isBuffer(body) ? body : Buffer.from(body);
    return;
  }
  const names = fieldNames(endpoint);
  const fields = draft.body;
  const hasFields = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  if (hasFields && names.length > 0 && random.oneIn(2)) {
    const name = random.pick(names);
    draft.body = { ...fields, [name]: spoilValue(fields[name] ?? {}, random) };
    return;
  }
  draft.body = spoilValue(draft.body, random);
};

const spoilHeaders = (draft: Draft, random: Random): void => {
  const ways: readonly (() => void)[] = [
    () => draft.headers.push(random.pick(HEADERS)),
    () => draft.headers.push(random.pick(HEADERS), random.pick(HEADERS)),
    () => draft.headers.push(['Content-Type', random.pick(CONTENT_TYPES)]),
    () => {
      draft.method = random.pick(METHODS);
    },
    () => {
      for (let index = 0; index < 150; index += 1) draft.headers.push([`X-${index}`, '1']);
    },
    () => draft.headers.unshift(['Host', '']),
  ];
  random.pick(ways)();
};

/** Headers with another length than that of the body. */
const WRONG_LENGTH = new Set(['content-length', 'transfer-encoding']);
const ONCE_IN_A_CONNECTION = 50;

const written = (draft: Draft, random: Random): RawRequest => {
  const { body } = draft;
  const bytes =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const names = draft.headers.map(([name]) => name.toLowerCase());
  const hasType = names.includes('content-type');
  const length = bytes && !names.includes('content-length') ? String(bytes.length) : undefined;
  return {
    method: draft.method,
    target: draft.query.length > 0 ? `${draft.path}?${draft.query.join('&')}` : draft.path,
    headers: [
      ...(names.includes('host') ? [] : ([['Host', 'api.test']] as const)),
      ...(bytes && !hasType ? ([['Content-Type', 'application/json']] as const) : []),
      ...draft.headers,
      ...(length === undefined ? [] : ([['Content-Length', length]] as const)),
    ],
    body: bytes,
    isLast: random.oneIn(ONCE_IN_A_CONNECTION),
    isCut: names.some((name) => WRONG_LENGTH.has(name)),
  };
};

/**
 * A request that is wrong in one to three ways, from a good one. The same seed gives the same.
 * Most carry a good key: what is behind the authentication is what could break.
 */
export const malformedRequest = (
  seed: number,
  endpoint: Endpoint,
  account: SampleAccount,
): RawRequest => {
  const random = createRandom(seed);
  const sample = SAMPLE_CALLS[endpoint.id]?.(account);
  if (!sample) throw new Error(`${endpoint.id} has no entry in SAMPLE_CALLS`);
  const [path = '', query] = sample.path.split('?');
  const draft: Draft = {
    method: endpoint.method.toUpperCase(),
    path,
    query: query ? query.split('&') : [],
    headers: random.oneIn(30) ? [] : [['X-API-Key', account.key]],
    body: sample.body as Json | undefined,
  };
  const ways = [
    () => spoilPath(draft, random),
    () => spoilQuery(draft, random, endpoint),
    () => spoilQuery(draft, random, endpoint),
    () => spoilHeaders(draft, random),
    ...(endpoint.body || random.oneIn(10)
      ? Array.from({ length: 4 }, () => () => spoilBody(draft, random, endpoint))
      : []),
  ];
  for (let count = 1 + random.below(3); count > 0; count -= 1) random.pick(ways)();
  return written(draft, random);
};
