import { createRandom, type Random } from '../../shared/testing/simulation/random.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RawRequest } from './rawHttp.ts';
import { KNOWN, type SampleAccount } from './sampleAccount.ts';
import { SAMPLE_CALLS } from './sampleCalls.ts';

/** Texts that break what was not thought of. None is an address whose analysis would be waited for. */
const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  '-0',
  '1.5',
  '1e999',
  '0x10',
  'NaN',
  'null',
  'true',
  '99999999999999999999999999',
  '9007199254740993',
  '2026-13-45',
  '9999-12-31T23:59:59Z',
  '0000-01-01',
  '1969-12-31T23:59:59Z',
  KNOWN.token.toUpperCase(),
  '0x',
  `0x${'g'.repeat(40)}`,
  "' OR 1=1 --",
  '"; DROP TABLE x; --',
  '{value:String}',
  '%_%',
  '\\',
  '${7*7}{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'a'.repeat(129),
  'a'.repeat(5_000),
  '\u0000',
  'a\u0000b',
  '\u202e\u200b\ufeff',
  'é'.repeat(65),
  '\u{1f600}'.repeat(40),
  'Z\u0351\u036b\u0343'.repeat(30),
  'ﷺ'.repeat(64),
  'ѕсаm',
  '\r\nX-Injected: 1',
  'W10',
  'eyJhIjoxfQ',
  'WyJkZXNjIiwtMSwiMHgiXQ',
  'constructor',
  '__proto__',
  'toString',
] as const;

const NUMBERS = [0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 64, 1e-320] as const;

/** Pieces of a path that tempt a router or a file server; as they go over the wire. */
const PATH_PIECES = [
  '%00',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2f',
  '..',
  '.',
  '..%5c',
  '%2f',
  '%252e%252e',
  '%c0%af',
  '%ff%fe',
  '%',
  '%zz',
  '%u0041',
  ';a=b',
  '',
  '*',
  '%0d%0aX-Injected:%201',
  '~',
  'a'.repeat(4_000),
  '\u00e9',
  '%F0%9F%98%80',
  '__proto__',
  '$where',
  '{address}',
  ':address',
] as const;

/** Text of a body that is no JSON, or JSON that is no object. */
const BODIES: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '}',
  '{"address":',
  "{'address':'x'}",
  '{"a":1,}',
  '{"a":1}{"a":2}',
  '{"address":"x","address":"y"}',
  '// comment\n{}',
  '{"a":01}',
  '{"a":NaN}',
  '{"a":1e99999}',
  '{"__proto__":{"isAdmin":true}}',
  '{"constructor":{"prototype":{}}}',
  'null',
  '0',
  '"text"',
  '[]',
  '[[]]',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  'address=0x1&force=true',
  '<?xml version="1.0"?><a/>',
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
  `${'['.repeat(19)}1${']'.repeat(19)}`,
  `${'{"a":'.repeat(50)}1${'}'.repeat(50)}`,
  '['.repeat(100_000),
  `[${'0,'.repeat(60_000)}0]`,
  `{${Array.from({ length: 2_000 }, (_, index) => `"f${index}":1`).join(',')}}`,
  `"${'a'.repeat(262_000)}"`,
  'x'.repeat(300_000),
  Buffer.from([0xff, 0xfe, 0x7b, 0x7d]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
];

const CONTENT_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/json;;;',
  'APPLICATION/JSON',
  'application/jsonx',
  'application/vnd.api+json',
  '',
  '/',
  'x'.repeat(2_000),
] as const;

const METHODS = ['PUT', 'TRACE', 'PROPFIND', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'POST', 'GET'];

/** Headers that parsers stumble over. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'a b'],
  ['Idempotency-Key', 'x'.repeat(300)],
  ['Idempotency-Key', 'fuzz-key'],
  ['If-None-Match', '*'],
  ['If-None-Match', '"""'],
  ['If-None-Match', `${'"a", '.repeat(500)}W/`],
  ['If-Modified-Since', 'yesterday'],
  ['Range', 'bytes=0-1,5-,-9'],
  ['Accept', 'text/xml'],
  ['Accept', 'application/json;q=abc, ;;,*/*;q=9'],
  ['Accept-Encoding', 'br;q=0, gzip;q=nope, *;q=-1, deflate'],
  ['Accept-Charset', 'utf-7'],
  ['Accept-Language', 'xx-'.repeat(300)],
  ['X-Request-Id', 'short'],
  ['X-Request-Id', `${'a'.repeat(65)}`],
  ['X-Request-Id', '<script>'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '127.0.0.1, ::1, %0a'],
  ['X-Forwarded-Host', 'evil.test'],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Basic Zm9vOmJhcg=='],
  ['Authorization', `Bearer ${'a'.repeat(5_000)}`],
  ['Cookie', `${'a=b; '.repeat(400)}__proto__=1`],
  ['Content-Encoding', 'gzip'],
  ['Expect', 'nonsense'],
  ['Upgrade', 'h2c'],
  ['Origin', 'null'],
  ['Origin', 'http://evil.test'],
  ['Host', 'evil.test'],
  ['Transfer-Encoding', 'identity'],
  ['X-Odd', '\u00e9\u00ff'],
  ['Content-Length', '5'],
  ['Content-Length', '-1'],
  ['X-Long', 'x'.repeat(20_000)],
];

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

/** Headers that tell another length than that of the body. */
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
