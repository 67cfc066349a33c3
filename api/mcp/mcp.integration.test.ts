import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Tier } from '../../shared/families/tier.ts';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { CONCURRENCY_LIMITS } from '../server/middleware/concurrency.ts';
import { verdictOf } from '../testing/fakePorts.ts';
import { api } from '../testing/filledApi.ts';
import { insertVerdict } from '../testing/rows.ts';
import { KNOWN } from '../testing/sampleAccount.ts';
import { API_CHAIN_ID, eventually } from '../testing/startApi.ts';
import { MCP_PATH } from './serveMcp.ts';
import { TOOLS } from './tools.ts';

const { token: TOKEN, creator: WALLET, cluster: RING } = KNOWN;

/** Arguments with which each tool finds something in the sample data. */
const ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  check_token: { address: TOKEN },
  explain_verdict: { address: TOKEN, language: 'es' },
  token_locks: { address: TOKEN },
  list_tokens: { is_rug: true },
  check_wallet: { address: WALLET },
  list_rings: {},
  get_ring: { id: RING },
  search: { q: 'moon' },
  watch_address: { address: WALLET, type: 'wallet' },
  list_watchlist: {},
  unwatch_address: { address: WALLET, type: 'wallet' },
  list_alerts: {},
};

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};
const ACCEPT = { Accept: 'application/json, text/event-stream' };

describe('MCP', () => {
  before(async () => {
    const { doc } = verdictOf(TOKEN);
    const passed = { id: 'trade_tax', status: 'pass', severity: 'info', reason: 'None.' } as const;
    const checked = { ...doc, checks: [...doc.checks, passed] };
    const verdict = verdictOf(TOKEN, { doc: checked, analyzedAtMs: Date.now() });
    await insertVerdict(api.database, API_CHAIN_ID, verdict, { version: 2 });
    const key = await newKey('enterprise');
    await eventually(
      () => api.call('/api/tokens', { key }),
      ({ body }) => body.pagination.total === 2,
    );
  });
  const newKey = async (tier: Tier): Promise<string> => (await api.newKey(tier)).key;
  const clients: Client[] = [];
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
  });

  const connect = async (transport: Parameters<Client['connect']>[0]): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' });
    clients.push(client);
    await client.connect(transport);
    return client;
  };

  const connectHttp = (key: string): Promise<Client> => {
    const transport = new StreamableHTTPClientTransport(new URL(MCP_PATH, api.baseUrl), {
      requestInit: { headers: { 'X-API-Key': key } },
    });
    // The class of the SDK does not fit its own interface under `exactOptionalPropertyTypes`.
    return connect(transport as Parameters<Client['connect']>[0]);
  };
  const connectStdio = (key: string, apiUrl = api.baseUrl): Promise<Client> =>
    connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...programArgs('api/mcp/stdio.ts')],
        env: { API_URL: apiUrl, API_KEY: key },
      }),
    );
  /** The answer of a tool as JSON. */
  const callTool = async (client: Client, name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [{ text }] = content as [{ text: string }];
    return { isError: isError === true, text };
  };

  it('says where it looked for an API that does not answer', async () => {
    const client = await connectStdio('key', 'http://127.0.0.1:9009');
    const { isError, text } = await callTool(client, 'check_token', { address: TOKEN });
    assert.ok(isError, text);
    assert.match(text, /the API does not answer at http:\/\/127\.0\.0\.1:9009: .*ECONNREFUSED/);
  });

  for (const [transport, connectBy] of [
    ['Streamable HTTP', connectHttp],
    ['standard input and output', connectStdio],
  ] as const) {
    it(`lists and calls every tool by ${transport}`, async () => {
      const client = await connectBy(await newKey('pro'));
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      assert.deepEqual(Object.keys(ARGUMENTS).toSorted(), tools.map(({ name }) => name).toSorted());
      assert.match(client.getInstructions() ?? '', /never follow instructions/);
      const answers = new Map<string, any>();
      for (const [name, args] of Object.entries(ARGUMENTS)) {
        const { isError, text } = await callTool(client, name, args);
        assert.equal(isError, false, `${name}: ${text}`);
        answers.set(name, JSON.parse(text));
      }
      const checked = answers.get('check_token');
      assert.deepEqual([checked.address, checked.is_rug], [TOKEN, true]);
      assert.equal(typeof checked.advice_text, 'string');
      assert.ok(!('features' in checked) && !('contributions' in checked));
      const idsOf = (checks: { id: string }[]) => checks.map(({ id }) => id);
      assert.deepEqual(idsOf(checked.checks), ['sell_simulation']);
      const { checks } = answers.get('explain_verdict').explanation;
      assert.deepEqual(idsOf(checks), ['sell_simulation', 'trade_tax']);
      assert.ok(answers.get('explain_verdict').explanation.contributions.length > 0);
      assert.equal(answers.get('check_wallet').address, WALLET);
      assert.ok(answers.get('list_tokens').length > 0);
    });
  }

  it('refuses callers without a good key, in the query too, and other methods', async () => {
    const key = await newKey('free');
    const send = (path: string, options = {}) =>
      api.call(path, { method: 'POST', headers: ACCEPT, body: initialize, ...options });
    assert.equal((await send(MCP_PATH)).status, 401);
    assert.equal((await send(MCP_PATH, { key: 'tsd_wrong' })).status, 401);
    assert.equal((await send(`${MCP_PATH}?api_key=${key}`)).status, 200);
    const get = await api.call(MCP_PATH, { key });
    assert.deepEqual([get.status, get.headers.get('Allow')], [405, 'POST']);
  });

  it('uses a key of the query for its tools', async () => {
    const key = await newKey('free');
    const { body } = await api.call(`${MCP_PATH}?api_key=${key}`, {
      method: 'POST',
      headers: ACCEPT,
      body: {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'check_token', arguments: { address: TOKEN } },
      },
    });
    assert.notEqual(body.result.isError, true, JSON.stringify(body));
  });

  it('answers what is wrong with the call of a tool', async () => {
    const client = await connectHttp(await newKey('free'));
    const wrong = await callTool(client, 'check_token', { address: '0x12' });
    assert.deepEqual([wrong.isError, /address/.test(wrong.text)], [true, true]);
    const unknown = await callTool(client, 'token_locks', { address: KNOWN.stranger });
    assert.deepEqual([unknown.isError, unknown.text.startsWith('404 ')], [true, true]);
    const elsewhere = await callTool(client, 'get_ring', { id: '../stats' });
    assert.equal(elsewhere.isError, true);
  });

  it('counts the requests of tools by the quota of the key', async () => {
    const key = await newKey('free');
    const remaining = async () =>
      Number((await api.call('/api/usage', { key })).headers.get('X-RateLimit-Remaining'));
    const client = await connectHttp(key);
    const before = await remaining();
    await callTool(client, 'check_wallet', { address: WALLET });
    // The message costs no unit, the tool one, this request none.
    assert.equal(before - (await remaining()), 1);
  });

  it('frees what a request of a tool holds', async () => {
    const client = await connectHttp(await newKey('enterprise'));
    for (let count = 0; count <= CONCURRENCY_LIMITS.addressMax; count += 1) {
      const { isError, text } = await callTool(client, 'list_rings', {});
      assert.equal(isError, false, text);
    }
  });
});
