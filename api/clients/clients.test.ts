import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type HttpServer, startHttp } from '../../shared/testing/startHttp.ts';
import { createEndpoints } from '../server/endpoints.ts';
import { createFakePorts } from '../testing/fakePorts.ts';
import { runPython } from './testing/runPython.ts';
import { ApiError, readWebhook, TokenScamClient } from './typescript/index.ts';
import { clientFiles } from './writeClients.ts';

const TOKEN = `0x${'01'.repeat(20)}`;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const json = (response: ServerResponse, status: number, body: object, headers = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};
const PAGES = ['a', 'b', 'c'];
const REFUSAL = { message: 'address: is wrong', code: 'REQ_001', request_id: 'r1', details: [] };

/** A fake API: refuses for a while, returns three pages, ends its streams. */
const answers: Readonly<
  Record<string, (url: URL, response: ServerResponse, times: number) => void>
> = {
  '/stats': (_, response, times) =>
    times === 1
      ? json(response, 429, {}, { 'Retry-After': '1' })
      : times === 2
        ? json(response, 503, {})
        : json(response, 200, { success: true, data: { tokens_analyzed: 3 } }),
  '/api/tokens': (url, response) => {
    const page = Number(url.searchParams.get('cursor') ?? 0);
    const next = page + 1 < PAGES.length ? String(page + 1) : null;
    json(response, 200, { data: [PAGES[page]], pagination: { next_cursor: next } });
  },
  '/tokens/analyze': (_, response) => json(response, 503, {}),
  [`/tokens/${TOKEN}`]: (_, response) => json(response, 400, REFUSAL),
  // The first stream ends before any event, the others after one; the service is unavailable after the first.
  '/api/events': (url, response, times) => {
    if (times === 2) return json(response, 500, {});
    const last = url.searchParams.get('last_event_id');
    const id = Number(last ?? 6) + 1;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(`retry: 2000\n: open\n${last === null ? `id: ${id}\n` : ''}\n`);
    if (last !== null) response.write(`id: ${id}\nevent: x\ndata: {"id":"${id}"}\n\n`);
    response.end('event: close\ndata: {"code":1012,"reason":"restart"}\n\n');
  },
  '/api/usage': (_, response) => json(response, 429, {}, { 'Retry-After': '60000' }),
  '/api/search': (_, response, times) =>
    times === 1
      ? json(response, 403, {}, { 'Retry-After': '1' })
      : json(response, 200, { success: true, data: [] }),
};

// Clients mostly wait, so they run in parallel, each with a key of its own.
describe('clients', { concurrency: true }, () => {
  let server: HttpServer;
  let baseUrl: string;
  const asked: { key: unknown; path: string }[] = [];
  /** Number of a client's requests, for one path or for all. */
  const times = (key: unknown, path?: string): number =>
    asked.filter((each) => each.key === key && (path ?? each.path) === each.path).length;
  before(async () => {
    server = await startHttp((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const key = request.headers['x-api-key'];
      asked.push({ key, path: url.pathname });
      answers[url.pathname]?.(url, response, times(key, url.pathname));
    });
    baseUrl = server.origin;
  });
  after(() => server.close());

  it('are generated from the operations of today (make clients)', () => {
    for (const [name, text] of clientFiles(createEndpoints(createFakePorts().ports))) {
      const isCurrent = readFileSync(join(import.meta.dirname, name), 'utf8') === text;
      assert.ok(isCurrent, `${name} is older than the operations: make clients`);
    }
  });

  it('repeat what is refused for a while, but no write that may have been done (TypeScript)', async () => {
    const client = new TokenScamClient({ baseUrl, apiKey: 'calls' });
    const { data } = await client.getStats();
    assert.equal(data.tokens_analyzed, 3);
    assert.equal(times('calls'), 3);
    await assert.rejects(client.analyzeToken({ address: TOKEN }), ApiError);
    assert.equal(times('calls'), 4);
    await assert.rejects(client.getToken({ address: TOKEN }), (error: ApiError) => {
      assert.deepEqual([error.status, error.code, error.requestId], [400, 'REQ_001', 'r1']);
      return true;
    });
    assert.equal(times('calls'), 5);
    await client.search({ q: 'pepe' });
    assert.equal(times('calls'), 7);
    // A day is too long to wait for.
    await assert.rejects(client.getUsage(), ApiError);
    assert.equal(times('calls'), 8);
  });

  it('give the entries of all pages (TypeScript)', async () => {
    const client = new TokenScamClient({ baseUrl, apiKey: 'key' });
    const entries: unknown[] = [];
    for await (const entry of client.entries((cursor) =>
      client.listTokens(cursor === undefined ? {} : { cursor }),
    )) {
      entries.push(entry);
    }
    assert.deepEqual(entries, PAGES);
  });

  it('give events across restarts of the service, also of those before the first event (TypeScript)', async () => {
    const client = new TokenScamClient({ baseUrl, apiKey: 'events' });
    const ids: string[] = [];
    for await (const { id } of client.events({ types: ['watchlist.alert'] })) {
      ids.push(id);
      if (ids.length === 2) break;
    }
    assert.deepEqual(ids, ['8', '9']);
  });

  it('do the same in Python', async () => {
    const program = `
import itertools, json, sys
from token_scam_client import ApiError, TokenScamClient
client = TokenScamClient(sys.argv[1], "python")
stats = client.get_stats()["data"]["tokens_analyzed"]
errors = []
client.search("pepe")
for call in (client.analyze_token, client.get_token, lambda _: client.get_usage()):
    try:
        call("${TOKEN}")
    except ApiError as error:
        errors.append([error.status, error.code, error.request_id])
entries = list(client.entries(lambda cursor: client.list_tokens(cursor=cursor)))
events = [event["id"] for event in itertools.islice(client.events(["watchlist.alert"]), 2)]
print(json.dumps([stats, errors, entries, events]))`;
    assert.deepEqual(JSON.parse(await runPython(program, baseUrl)), [
      3,
      [
        [503, null, null],
        [400, 'REQ_001', 'r1'],
        [429, null, null],
      ],
      PAGES,
      ['8', '9'],
    ]);
    const paths = ['/tokens/analyze', '/api/search', '/api/usage'];
    assert.deepEqual(
      paths.map((path) => times('python', path)),
      [1, 2, 1],
    );
  });

  it('read webhooks that are signed, and refuse others', async () => {
    const body = '{"id":"msg_1","type":"webhook.test"}';
    const time = new Date();
    const signed = (at: Date, secret = SECRET): Record<string, string> => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': `v1,AAAA ${new Webhook(secret).sign('msg_1', at, body)}`,
    });
    const foreign = signed(time, `whsec_${Buffer.alloc(32, 8).toString('base64')}`);
    const old = signed(new Date(time.getTime() - 3_600_000));
    assert.equal(readWebhook(body, signed(time), SECRET).id, 'msg_1');
    for (const headers of [foreign, old, {}]) {
      assert.throws(() => readWebhook(body, headers, SECRET), /webhook/);
    }
    assert.throws(() => readWebhook(`${body} `, signed(time), SECRET), /signature/);
    const program = `
import json, sys
from token_scam_client import read_webhook
results = []
for headers in json.loads(sys.argv[2]):
    try:
        results.append(read_webhook(sys.argv[1].encode(), headers, sys.argv[3])["id"])
    except ValueError as error:
        results.append("refused")
print(json.dumps(results))`;
    const all = JSON.stringify([signed(time), foreign, old, {}]);
    const results: unknown = JSON.parse(await runPython(program, body, all, SECRET));
    assert.deepEqual(results, ['msg_1', 'refused', 'refused', 'refused']);
  });
});
