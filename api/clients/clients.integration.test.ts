import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Endpoint } from '../server/endpoint.ts';
import { createEndpoints } from '../server/endpoints.ts';
import { createFakePorts } from '../testing/fakePorts.ts';
import { api } from '../testing/filledApi.ts';
import { createSampleAccount, SAMPLE_CALLS, type SampleAccount } from '../testing/sampleAccount.ts';
import { runPython } from './testing/runPython.ts';
import { TokenScamClient } from './typescript/index.ts';

/**
 * Responses that are not JSON have functions of their own: events are tested in `clients.test.ts`, files below.
 */
const STREAMS = ['openSocket', 'openEvents', 'exportDay'];
/** Deleting operations come last, so that there is something to read before. */
const ENDPOINTS = createEndpoints(createFakePorts().ports)
  .filter(({ id }) => !STREAMS.includes(id))
  .toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));

/** The sample call of an operation, in the form of a client's arguments. */
const inputOf = (endpoint: Endpoint, account: SampleAccount): Record<string, unknown> => {
  const sample = SAMPLE_CALLS[endpoint.id]?.(account);
  assert.ok(sample, endpoint.id);
  const url = new URL(sample.path, 'http://localhost');
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const pattern = new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '([^/]+)')}$`);
  const values = pattern.exec(url.pathname)?.slice(1) ?? [];
  return {
    ...Object.fromEntries(names.map((name, index) => [name, values[index]])),
    ...Object.fromEntries(url.searchParams),
    ...(sample.body as object | undefined),
  };
};

describe('every operation by a client', () => {
  it('in TypeScript', async () => {
    const account = await createSampleAccount(api, 'enterprise');
    const client = new TokenScamClient({ baseUrl: api.baseUrl, apiKey: account.key });
    const methods = client as unknown as Record<
      string,
      (input: object) => Promise<{ success?: boolean }>
    >;
    for (const endpoint of ENDPOINTS) {
      const answer = await methods[endpoint.id]?.(inputOf(endpoint, account));
      assert.ok(endpoint.response.safeParse(answer).success, endpoint.id);
    }
  });

  it('gets a day as a Parquet file, which a lower tier and a day that is none do not', async () => {
    const { key } = await createSampleAccount(api, 'enterprise');
    const client = new TokenScamClient({ baseUrl: api.baseUrl, apiKey: key });
    const day = new Date().toISOString().slice(0, 10);
    const file = Buffer.from(await client.exportDay({ what: 'verdicts', day }));
    assert.equal(file.subarray(0, 4).toString() + file.subarray(-4).toString(), 'PAR1PAR1');
    const program = `
import sys
from token_scam_client import TokenScamClient
print(len(TokenScamClient(sys.argv[1], sys.argv[2]).export_day("verdicts", sys.argv[3])))`;
    assert.equal(await runPython(program, api.baseUrl, key, day), String(file.length));

    const { key: pro } = await api.newKey('pro');
    const refused = await api.call(`/api/export?what=verdicts&day=${day}`, { key: pro });
    assert.deepEqual([refused.status, refused.body.required_tier], [403, 'enterprise']);
    const wrong = await api.call('/api/export?what=verdicts&day=2026-02-30', { key });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /must be a day such as/);
  });

  it('removes what was set, in Python', async () => {
    const { key } = await createSampleAccount(api, 'pro');
    const program = `
import sys
from token_scam_client import TokenScamClient
client = TokenScamClient(sys.argv[1], sys.argv[2])
made = client.create_webhook(["watchlist.alert"], url="http://127.0.0.1:3000/", description="mine")["data"]
kept = client.change_webhook(made["id"], status="paused")["data"]
bare = client.change_webhook(made["id"], description=None)["data"]
print(kept["description"], bare["description"], bare["status"])`;
    assert.equal(await runPython(program, api.baseUrl, key), 'mine None paused');
  });

  it('in Python', async () => {
    const account = await createSampleAccount(api, 'enterprise');
    const calls = ENDPOINTS.map((endpoint) => [
      endpoint.id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inputOf(endpoint, account),
    ]);
    const program = `
import json, sys
from token_scam_client import TokenScamClient
client = TokenScamClient(sys.argv[1], sys.argv[2])
for name, fields in json.loads(sys.argv[3]):
    renamed = {("from_" if key == "from" else key): value for key, value in fields.items()}
    print(json.dumps(getattr(client, name)(**renamed)))`;
    const printed = await runPython(program, api.baseUrl, account.key, JSON.stringify(calls));
    const answers = printed.split('\n');
    assert.equal(answers.length, ENDPOINTS.length);
    for (const [index, endpoint] of ENDPOINTS.entries()) {
      const answer: unknown = JSON.parse(answers[index] ?? '');
      assert.ok(endpoint.response.safeParse(answer).success, endpoint.id);
    }
  });
});
