import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { createEndpoints } from './server/endpoints.ts';
import {
  CONTRACT,
  contractOf,
  contractText,
  createContractChecker,
  DESIGN_FILE,
  type Operation,
} from './testing/contract.ts';
import { createFakePorts } from './testing/fakePorts.ts';

const ENDPOINTS = createEndpoints(createFakePorts().ports);

const WHEN = ['language', 'digest', 'quiet_hours'];
/** Parameters that the notes of the contract add to its tables. */
const ADDED_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  'POST /api/webhooks': ['kind', 'bot_token', 'chat_id', 'email', ...WHEN],
  'PATCH /api/webhooks/{id}': ['bot_token', 'chat_id', ...WHEN],
  'GET /tokens/analyze/{job_id}': ['wait'],
  'GET /clusters': ['sort', 'order'],
  'GET /alerts': ['since_id'],
  'GET /api/wallet/{address}/reputation': ['from', 'to', 'limit'],
};

const parameterNames = (schema: unknown): string[] => {
  let inner = schema as { _def: { schema?: unknown; shape?: () => object } };
  while (inner._def.schema) inner = inner._def.schema as typeof inner;
  return Object.keys(inner._def.shape?.() ?? {});
};

const findOperation = (name: string): Operation =>
  CONTRACT.operations.find(({ method, path }) => `${method} ${path}` === name) ?? assert.fail(name);

it('holds every operation of the design document, where that is at hand as it stands there', () => {
  assert.equal(CONTRACT.operations.length, 45);
  if (!existsSync(DESIGN_FILE)) return;
  const design = contractOf(JSON.parse(readFileSync(DESIGN_FILE, 'utf8')));
  assert.equal(contractText(CONTRACT), contractText(design));
});

it('finds fields that are absent, of a wrong type, beyond their bounds, or in no table', () => {
  const problemsOf = createContractChecker(CONTRACT);
  const watched = findOperation('GET /watchlist');
  const item = {
    id: 1,
    type: 'token',
    address: `0x${'ab'.repeat(20)}`,
    alerts: ['rug_pull'],
    sensitivity: 'low',
    created_at: '2026-01-02T03:04:05.678Z',
  };
  const answer = (items: unknown, more = {}) => ({
    success: true,
    timestamp: '2026-01-02T03:04:05Z',
    data: { items, total: 1, limit: 50, ...more },
  });
  assert.deepEqual(problemsOf(watched, answer([item])), []);
  const cases: [body: unknown, problem: string][] = [
    [answer(undefined), "/data: must have required property 'items'"],
    [answer([{ ...item, id: '1' }]), '/data/items/*/id: must be integer'],
    [
      answer([{ ...item, type: 'nft' }]),
      '/data/items/*/type: must be equal to one of the allowed values token,wallet',
    ],
    [
      answer([{ ...item, address: item.address.toUpperCase() }]),
      '/data/items/*/address: must match pattern "^0x[0-9a-f]{40}$"',
    ],
    [
      answer([{ ...item, created_at: '2026-01-02' }]),
      '/data/items/*/created_at: must match format "date-time"',
    ],
    [answer([{ ...item, extra: 1 }]), '/data/items/*: must NOT have additional properties extra'],
    [answer([item], { extra: 1 }), '/data: must NOT have additional properties extra'],
  ];
  for (const [body, problem] of cases) assert.deepEqual(problemsOf(watched, body), [problem]);
});

it('serves every operation in its style, for its tier, with its parameters and statuses', () => {
  for (const row of CONTRACT.operations) {
    const endpoint = ENDPOINTS.find(
      (each) => each.method === row.method.toLowerCase() && each.path === row.path,
    );
    const label = `${row.method} ${row.path}`;
    assert.ok(endpoint, `${label} is not served`);
    assert.equal(endpoint.style, row.style, label);
    assert.equal(endpoint.lowestTier, row.lowestTier, label);
    const statuses = [...Object.keys(endpoint.successes).map(Number), ...endpoint.errors];
    for (const status of [row.success, ...row.errors]) {
      assert.ok(statuses.includes(status as 200), `${label} does not document ${status}`);
    }
    const names = [
      ...parameterNames(endpoint.params),
      ...parameterNames(endpoint.query),
      ...(endpoint.body ? parameterNames(endpoint.body) : []),
    ];
    const expected = [
      ...row.parameters.map(({ name }) => name),
      ...Object.keys(row.body?.properties ?? {}),
    ];
    assert.deepEqual(
      names.toSorted(),
      [...expected, ...(ADDED_PARAMETERS[label] ?? [])].toSorted(),
      label,
    );
  }
});
