import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Koa from 'koa';
import type { Admission, Gatekeeper, Units } from '../../accounts/admission.ts';
import { ApiError } from '../apiError.ts';
import { createAuthenticate } from './authenticate.ts';

const UNITS: Units = { day: 2, minute: 1 };
const QUOTA = {
  tier: 'pro',
  dayLimit: 100,
  dayRemaining: 40,
  dayResetS: 86_400,
  minuteLimit: 10,
  minuteRemaining: 3,
  minuteResetS: 7,
  nowS: 5,
} as const;
const CALLER = { keyId: 'key_1', family: 'fam_1', tier: 'pro' } as const;
const ADMITTED: Admission = { kind: 'admitted', caller: CALLER, quota: QUOTA };

/** Authenticates one request with a gatekeeper that always gives the same answer. */
const present = async (
  headers: Record<string, string>,
  args: { path?: string; isSocket?: boolean; admission?: Admission } = {},
) => {
  const asked: (readonly [string, string, Units])[] = [];
  const answer = async (what: string, value: string, units: Units) => {
    asked.push([what, value, units]);
    return args.admission ?? ADMITTED;
  };
  const gatekeeper = {
    admit: (key, units) => answer('key', key, units),
    admitTicket: (ticket, units) => answer('ticket', ticket, units),
  } satisfies Pick<Gatekeeper, 'admit' | 'admitTicket'>;
  const request = { headers, url: args.path ?? '/tokens', method: 'GET', socket: {} };
  const answered: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (answered[name.toLowerCase()] = value),
    getHeader: (name: string) => answered[name.toLowerCase()],
  };
  const ctx = new Koa().createContext(request as never, response as never);
  ctx.state = { requestId: 'req_1' };
  const authenticate = createAuthenticate({
    gatekeeper: gatekeeper as unknown as Gatekeeper,
    baseUrl: 'https://api.test',
  });
  const refusal = await authenticate(ctx as never, UNITS, { isSocket: args.isSocket }).then(
    () => undefined,
    (error: unknown) => {
      assert.ok(error instanceof ApiError);
      return error.options;
    },
  );
  return { asked, refusal, state: ctx.state, headers: answered, query: { ...ctx.query } };
};

describe('authenticate', () => {
  const ways: [string, Record<string, string>, string][] = [
    ['the header', { 'x-api-key': 'k1' }, '/tokens'],
    ['a bearer token', { authorization: 'Bearer k1' }, '/tokens'],
    ['a bearer token in another spelling', { authorization: 'bEARER   k1  ' }, '/tokens'],
    ['the query', {}, '/tokens?api_key=k1'],
    [
      'the header before the others',
      { 'x-api-key': 'k1', authorization: 'Bearer k2' },
      '/tokens?api_key=k3',
    ],
    ['the bearer token before the query', { authorization: 'Bearer k1' }, '/tokens?api_key=k3'],
  ];
  for (const [what, headers, path] of ways) {
    it(`takes the key of ${what}`, async () => {
      const { asked, refusal, state, query } = await present(headers, { path });
      assert.equal(refusal, undefined);
      assert.deepEqual(asked, [['key', 'k1', UNITS]]);
      assert.deepEqual(
        [state['caller'], state['quota'], state['dayUnitsTaken']],
        [CALLER, QUOTA, 2],
      );
      assert.deepEqual(query, {}, 'no operation sees the key');
    });
  }

  it('forbids to keep an answer only where the key is in its address', async () => {
    const inQuery = await present({}, { path: '/tokens?api_key=k1' });
    assert.equal(inQuery.headers['cache-control'], 'no-store');
    const inHeader = await present({ 'x-api-key': 'k1' });
    assert.equal(inHeader.headers['cache-control'], undefined);
    const bearer = await present({ authorization: 'Bearer k1' });
    assert.equal(bearer.headers['cache-control'], undefined);
  });

  it('asks for a key where none is, or only one for sockets', async () => {
    for (const headers of [
      {},
      { authorization: 'Basic k1' },
      { authorization: 'xBearer k1' },
      { authorization: 'Bearer k1 k2' },
      { authorization: 'Bearer' },
      { 'sec-websocket-protocol': 'key.k1' },
    ] as Record<string, string>[]) {
      const { refusal, asked } = await present(headers, { path: '/tokens?ticket=t1' });
      assert.deepEqual(
        [refusal?.status, refusal?.code],
        [401, 'AUTH_001'],
        JSON.stringify(headers),
      );
      assert.equal(refusal?.message, 'An API key is required');
      assert.deepEqual(asked, []);
    }
  });

  it('takes a key from the protocols of a socket, or a ticket', async () => {
    const protocol = await present(
      { 'sec-websocket-protocol': 'tsd, xkey.k0, key.k1' },
      { isSocket: true, path: '/api/ws?ticket=t1' },
    );
    assert.deepEqual(protocol.asked, [['key', 'k1', UNITS]]);
    const ticket = await present({}, { isSocket: true, path: '/api/ws?ticket=t1' });
    assert.deepEqual(ticket.asked, [['ticket', 't1', UNITS]]);
    assert.equal(ticket.headers['cache-control'], undefined);
    const header = await present(
      { 'x-api-key': 'k2' },
      { isSocket: true, path: '/api/ws?ticket=t1' },
    );
    assert.deepEqual(header.asked, [['key', 'k2', UNITS]]);
    for (const protocols of ['key.', 'key.k1 k2']) {
      const none = await present({ 'sec-websocket-protocol': protocols }, { isSocket: true });
      assert.equal(none.refusal?.code, 'AUTH_001', protocols);
    }
  });

  it('refuses unknown and expired keys differently', async () => {
    const unknown = await present({ 'x-api-key': 'k' }, { admission: { kind: 'unknown' } });
    assert.deepEqual([unknown.refusal?.status, unknown.refusal?.code], [401, 'AUTH_001']);
    assert.equal(unknown.refusal?.message, 'The API key is malformed, unknown or revoked');
    const expired = await present({ 'x-api-key': 'k' }, { admission: { kind: 'expired' } });
    assert.deepEqual([expired.refusal?.status, expired.refusal?.code], [401, 'AUTH_002']);
    assert.equal(expired.refusal?.message, 'The API key has expired');
    assert.deepEqual([unknown.state['caller'], expired.state['caller']], [undefined, undefined]);
  });

  it('says which quota is used, until when, and what to do', async () => {
    for (const [policy, limit, message] of [
      ['day', 100, 'Daily quota of 100 requests used'],
      ['minute', 10, '10 requests per minute exceeded'],
    ] as const) {
      const admission = { kind: 'limited', policy, retryAfterS: 9, quota: QUOTA } as const;
      const { refusal, state } = await present({ 'x-api-key': 'k' }, { admission });
      assert.deepEqual(refusal, {
        status: 429,
        error: 'Rate limit exceeded',
        code: 'AUTH_003',
        message,
        fields: {
          tier: 'pro',
          limit,
          upgrade: 'https://api.test/dashboard/plans',
          policy,
          retry_after: 9,
        },
        headers: { 'Retry-After': '9' },
      });
      assert.deepEqual([state['quota'], state['caller']], [QUOTA, undefined]);
      assert.equal(state['dayUnitsTaken'], undefined);
    }
  });
});
