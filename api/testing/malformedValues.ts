import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { KNOWN } from './sampleAccount.ts';

/** Texts that break careless code. None is a token address, which would be analysed. */
export const TEXTS = [
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

/** Numbers beyond the range of fields and columns. */
export const NUMBERS = [
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 64,
  1e-320,
] as const;

/** Path fragments that are dangerous for a router or a file server, as sent over the wire. */
export const PATH_PIECES = [
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
export const BODIES: readonly (string | Buffer)[] = [
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

/** Content types that are not, or almost, JSON. */
export const CONTENT_TYPES = [
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

/** Methods, known and not. */
export const METHODS = [
  'PUT',
  'TRACE',
  'PROPFIND',
  'HEAD',
  'OPTIONS',
  'DELETE',
  'PATCH',
  'POST',
  'GET',
];

/** Headers that confuse parsers. */
export const HEADERS: readonly (readonly [string, string])[] = [
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

/** A request exactly as sent over the wire. */
export interface RawRequest {
  readonly method: string;
  /** The request target, unchanged. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
  /** Whether the connection is unusable afterwards, for example if a head is not understood. */
  readonly isLast?: boolean;
  /** Whether more is announced than sent: then the connection ends, perhaps without a response. */
  readonly isCut?: boolean;
}

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const ANSWER_MS_MAX = 30_000;

const headOf = ({ method, target, headers }: RawRequest): Buffer =>
  Buffer.from(
    [`${method} ${target} HTTP/1.1`, ...headers.map(([n, v]) => `${n}: ${v}`), '', ''].join('\r\n'),
    'latin1',
  );

/** Sends the bytes of a request, and parses the response with a Node client as if that had sent them. */
const exchange = async (socket: Socket, sent: RawRequest): Promise<RawAnswer> => {
  const answers = new Duplex({
    read: () => undefined,
    write: (_ofClient, _encoding, done) => done(),
  });
  const take = (part: Buffer): void => void answers.push(part);
  const end = (): void => void answers.push(null);
  socket.on('data', take).on('close', end);
  try {
    const asked = request({
      method: sent.method === 'HEAD' ? 'HEAD' : 'GET',
      createConnection: () => answers,
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    }).end();
    socket.write(headOf(sent));
    if (sent.body) socket.write(sent.body);
    if (sent.isCut) socket.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const { statusCode: status = 0, headers } = answer;
    return { status, headers, body: isEndless(headers) ? Buffer.alloc(0) : await buffer(answer) };
  } finally {
    socket.off('data', take).off('close', end);
  }
};

/** Whether the response has no end: only its head is awaited. */
const isEndless = (headers: IncomingHttpHeaders): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

/** One persistent connection that sends what no HTTP client would. */
export const createRawClient = (port: number) => {
  let socket: Socket | undefined;
  return {
    send: async (asked: RawRequest): Promise<RawAnswer> => {
      const isUsable = socket?.writable && !socket.destroyed && !socket.readableEnded;
      const used =
        isUsable && socket ? socket : connect(port, '127.0.0.1').on('error', () => undefined);
      socket = used;
      const answer = await exchange(used, asked);
      const isOver = asked.isLast || asked.isCut || isEndless(answer.headers);
      if (isOver || answer.headers.connection === 'close') {
        used.destroy();
        socket = undefined;
      }
      return answer;
    },
    close: () => socket?.destroy(),
  };
};
