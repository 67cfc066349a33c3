import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { errorSchema } from './server/apiError.ts';
import type { Endpoint } from './server/endpoint.ts';
import { createEndpoints } from './server/endpoints.ts';
import {
  allowedRequests,
  type DocumentedOperation,
  UNWRITTEN_RULES,
  type UnwrittenRule,
} from './testing/allowedRequest.ts';
import {
  bodyCases,
  CONTRACT,
  createContractChecker,
  createDocumentChecker,
  defaultOf,
  type Operation,
  type Parameter,
  parameterCases,
} from './testing/contract.ts';
import { createFakePorts } from './testing/fakePorts.ts';
import { api } from './testing/filledApi.ts';
import { beatForAll, createSampleAccount, KNOWN, SAMPLE_CALLS } from './testing/sampleAccount.ts';
import { API_CHAIN_ID } from './testing/startApi.ts';
import type { Answer } from './testing/startApp.ts';

const { operations: OPERATIONS } = CONTRACT;
const problemsOf = createContractChecker(CONTRACT);
const ENDPOINTS = createEndpoints(createFakePorts().ports);

/** `null` clears a field in a PATCH, so the creation accepts it too. */
const ALSO_ACCEPTED = new Set(['POST /api/webhooks description null']);

/** Intended differences from the contract. */
const DEVIATIONS = new Set([
  // Nothing was measured yet, neither outcomes nor the model.
  '/data/accuracy: must be number',
  // A search that examines a bounded part of the list says so.
  '/data: must NOT have additional properties total_is_exact',
]);

/** Fields that the specification shows and the design leaves optional; the sample responses include them. */
const SHOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'GET /tokens/analyze/{job_id}': ['token'],
  'GET /api/tokens': ['0.name', '0.risk_score', '0.risk_level'],
  'GET /wallets/{address}': ['cluster_id'],
  'GET /watchlist': ['items.0.name'],
};

const SEED = Number(process.env['SEED'] ?? 1);
/** Generated requests of each operation. */
const ALLOWED_RUNS = Number(process.env['RUNS'] ?? 12);
/** Their responses do not end. */
const STREAMS: ReadonlySet<string> = new Set(['openSocket', 'openEvents', 'exportDay']);

const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => `${method} ${path}`;

const endpointOf = ({ method, path }: Operation): Endpoint => {
  const endpoint = ENDPOINTS.find(
    (each) => each.method === method.toLowerCase() && each.path === path,
  );
  assert.ok(endpoint, `${method} ${path} is not served`);
  return endpoint;
};

const account = await createSampleAccount(api, 'enterprise');

describe('conformance to the contract', () => {
  const roles = beatForAll(api.connection, API_CHAIN_ID);
  after(roles.stop);
  const sampleOf = (row: Operation, of = account) => {
    const sample = SAMPLE_CALLS[endpointOf(row).id];
    assert.ok(sample, `${nameOf(row)} has no sample`);
    return sample(of);
  };
  const ask = (row: Operation, path: string, body: unknown, key = account.key) =>
    api.call(path, { method: row.method, body, key });
  /** The sample request with one query parameter set, or left out. */
  const askWith = (row: Operation, name: string, value: string | undefined) => {
    const { path, body } = sampleOf(row);
    const url = new URL(path, 'http://x');
    url.searchParams.delete(name);
    if (value !== undefined) url.searchParams.set(name, value);
    return ask(row, `${url.pathname}${url.search}`, body);
  };

  const assertRefused = (answer: Answer, label: string, code: string, name: string): void => {
    assert.equal(answer.status, 400, `${label}: ${answer.status} ${answer.text}`);
    const error = errorSchema.strict().parse(answer.body);
    assert.equal(error.code, code, label);
    const named = error.details?.some(({ path }) => path === name || path.startsWith(`${name}.`));
    assert.ok(named, `${label} does not name ${name}: ${answer.text}`);
  };

  const assertHeaders = ({ headers }: Answer, label: string): void => {
    const get = (name: string): string => headers.get(name) ?? '';
    assert.match(get('X-Request-Id'), /^[0-9A-HJKMNP-TV-Z]{26}$/, label);
    assert.equal(get('API-Version'), '1');
    assert.equal(get('Cache-Control'), 'private, no-cache');
    assert.equal(get('X-Content-Type-Options'), 'nosniff');
    assert.match(get('Content-Type'), /^application\/json; charset=utf-8$/);
    for (const name of ['Limit', 'Remaining', 'Reset']) {
      assert.match(get(`X-RateLimit-${name}`), /^\d+$/);
    }
    assert.equal(Number(get('X-RateLimit-Reset')) % 86_400, 0);
    assert.match(get('RateLimit-Policy'), /^"day";q=\d+;w=86400, "minute";q=\d+;w=60$/);
    assert.match(get('RateLimit'), /^"day";r=\d+;t=\d+, "minute";r=\d+;t=\d+$/);
    assert.equal(get('Access-Control-Allow-Origin'), '*');
    assert.match(get('Access-Control-Expose-Headers'), /X-Request-Id/);
  };

  const envelopeProblems = (row: Operation, body: Answer['body']): string[] => {
    const names = Object.keys(body).toSorted();
    const isPaged = row.answer.properties?.['pagination'] !== undefined;
    const own =
      row.style === 'A'
        ? ['data', 'success', 'timestamp']
        : ['data', ...(isPaged ? ['pagination'] : []), 'success'];
    const expected = row.path === '/api/health' ? ['data', 'status', 'success', 'timestamp'] : own;
    return names.join() === expected.join() ? [] : [`envelope has ${names.join()}`];
  };
  const shownProblems = (row: Operation, body: Answer['body']): string[] =>
    (SHOWN_FIELDS[nameOf(row)] ?? []).filter((place) => {
      const value = place
        .split('.')
        .reduce((from, part) => (from as Record<string, unknown> | undefined)?.[part], body.data);
      return value === undefined || value === null;
    });

  it('answers each operation in its envelope, with its fields, types and headers', async () => {
    const own = await createSampleAccount(api, 'enterprise');
    const rows = OPERATIONS.toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const row of rows) {
      const { path, body } = sampleOf(row, own);
      const answer = await ask(row, path, body, own.key);
      const label = `${nameOf(row)}: ${answer.status} ${answer.text.slice(0, 600)}`;
      // A fresh verdict and an existing report are answered with 200 instead of 201.
      assert.ok([row.success, 200].includes(answer.status), label);
      assertHeaders(answer, label);
      const problems = [
        ...envelopeProblems(row, answer.body),
        ...problemsOf(row, answer.body),
        ...shownProblems(row, answer.body),
      ].filter((problem) => !DEVIATIONS.has(problem));
      assert.deepEqual(problems, [], label);
      const ifNone = { 'If-None-Match': answer.headers.get('ETag') ?? '' };
      if (row.method === 'GET' && answer.headers.has('ETag')) {
        const again = await api.call(path, { key: own.key, headers: ifNone });
        assert.deepEqual([again.status, again.text], [304, ''], label);
      }
    }
  });

  const checkParameter = async (row: Operation, parameter: Parameter): Promise<void> => {
    const { name, required } = parameter;
    for (const { value, isGood } of parameterCases(parameter)) {
      const answer = await askWith(row, name, value);
      const label = `${nameOf(row)}?${name}=${value.slice(0, 40)}`;
      // The object to delete may be gone already: the parameter is accepted nevertheless.
      const isAccepted = answer.status < 300 || (row.method === 'DELETE' && answer.status === 404);
      if (isGood) assert.ok(isAccepted, `${label}: ${answer.status} ${answer.text}`);
      else assertRefused(answer, label, 'REQ_001', name);
    }
    const absent = await askWith(row, name, undefined);
    if (required) {
      assertRefused(absent, `${nameOf(row)} without ${name}`, 'REQ_002', name);
      return;
    }
    const fallback = defaultOf(parameter);
    if (fallback === undefined) return;
    const given = await askWith(row, name, fallback);
    const { took_ms: _a, ...one } = absent.body?.data ?? {};
    const { took_ms: _b, ...other } = given.body?.data ?? {};
    assert.deepEqual(one, other, `${nameOf(row)}: ${name} is ${fallback} where absent`);
  };

  it('answers as its OpenAPI document says, to good requests and bad ones', async () => {
    const document = (await api.call('/openapi.json')).body;
    const assertDocumented = createDocumentChecker(document);
    const own = await createSampleAccount(api, 'enterprise');
    const free = await createSampleAccount(api, 'free');
    const { key: strange } = await api.newKey('enterprise');
    const endpoints = ENDPOINTS.toSorted(
      (a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'),
    );
    for (const { id, method, path, lowestTier, successes } of endpoints) {
      const { path: url, body } = SAMPLE_CALLS[id]?.(own) ?? assert.fail(id);
      const send = (key: string | undefined, suffix = '') =>
        api.call(`${url}${suffix}`, {
          method: method.toUpperCase(),
          body,
          ...(key === undefined ? {} : { key }),
        });
      const answers = [
        await send(undefined),
        await send(own.key, `${url.includes('?') ? '&' : '?'}unknown=1`),
        ...(lowestTier === 'free' ? [] : [await send(free.key)]),
        await send(strange),
        await send(own.key),
      ];
      for (const answer of answers) assertDocumented(path, method, answer);
      const last = answers.at(-1);
      assert.ok(Object.keys(successes).includes(String(last?.status)), `${id}: ${last?.text}`);
    }
  });

  it('takes each query parameter within its rule, refuses it beyond, and has its default', async () => {
    for (const row of OPERATIONS) {
      const inQuery = row.parameters.filter((each) => each.in === 'query');
      for (const parameter of inQuery) await checkParameter(row, parameter);
      const label = `${nameOf(row)} with an unknown parameter`;
      if (row.method !== 'DELETE') {
        assertRefused(await askWith(row, 'nope', '1'), label, 'REQ_001', 'nope');
      }
      const name = inQuery[0]?.name;
      if (name === undefined) continue;
      const { path, body } = sampleOf(row);
      const twice = `${path}${path.includes('?') ? '&' : '?'}${name}=1&${name}=2`;
      assertRefused(await ask(row, twice, body), `${name} twice`, 'REQ_001', name);
    }
  });

  it('pages every list, telling the total and where the next page is', async () => {
    const lists = OPERATIONS.filter(({ parameters }) =>
      ['limit', 'offset'].every((name) => parameters.some((each) => each.name === name)),
    );
    assert.ok(lists.length >= 10);
    for (const row of lists) {
      const answer = await askWith(row, 'limit', '1');
      const { data, pagination = data } = answer.body;
      const label = `${nameOf(row)}: ${answer.text}`;
      assert.equal(answer.headers.get('X-Total-Count'), String(pagination.total), label);
      const link = answer.headers.get('Link') ?? '';
      assert.equal(/<[^>]+[?&]limit=1\b[^>]*>; rel="next"/.test(link), pagination.total > 1, label);
      const entries = Array.isArray(data) ? data : Object.values(data).find(Array.isArray);
      assert.equal((entries as unknown[]).length, Math.min(1, pagination.total), label);
    }
  });

  it('refuses wrong parts of paths', async () => {
    for (const row of OPERATIONS.filter(({ path }) => path.includes('{'))) {
      const inPath = row.parameters.filter((each) => each.in === 'path');
      for (const { name, schema } of inPath) {
        const { body } = sampleOf(row);
        const { type, pattern = '', maxLength } = schema;
        const isChecked =
          type === 'integer' || pattern.startsWith('^0x') || maxLength !== undefined;
        const values = maxLength === undefined ? ['x', '0'] : ['a'.repeat(maxLength + 1)];
        for (const value of values) {
          const path = row.path.replace(`{${name}}`, value);
          const answer = await ask(row, path, body);
          const label = `${row.method} ${path}: ${answer.status} ${answer.text}`;
          assert.ok((isChecked ? [400] : [400, 404]).includes(answer.status), label);
        }
      }
    }
  });

  it('takes each field of a body within its rule and refuses it beyond', async () => {
    for (const row of OPERATIONS) {
      if (!row.body) continue;
      const { path, body = {} } = sampleOf(row);
      const label = nameOf(row);
      for (const each of bodyCases(row.body, body as Record<string, unknown>)) {
        const shown = `${label} ${each.field} ${JSON.stringify(each.body).slice(0, 300)}`;
        const value = each.body[each.field];
        if (ALSO_ACCEPTED.has(`${label} ${each.field} ${String(value)}`)) continue;
        const answer = await ask(row, path, each.body);
        if (each.isGood) {
          assert.ok(answer.status < 500 && answer.status !== 400, `${shown}: ${answer.text}`);
        } else assertRefused(answer, shown, 'REQ_001', each.field);
      }
      for (const name of row.body.required ?? []) {
        const { [name]: _, ...rest } = body as Record<string, unknown>;
        assertRefused(await ask(row, path, rest), `${label} without ${name}`, 'REQ_002', name);
      }
      if (row.isBodyRequired) {
        const answer = await ask(row, path, undefined);
        assert.deepEqual([answer.status, answer.body.code], [400, 'REQ_002'], label);
      }
    }
  });

  const documentedOperations = async () => {
    const document = (await api.call('/openapi.json')).body as {
      paths: Record<string, Record<string, DocumentedOperation>>;
    };
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ document, path, method, operation })),
    );
  };
  /** Statuses of invalid input, regardless of the effects of earlier requests. */
  const isRefusal = ({ status }: Answer): boolean => status === 400 || status === 422;
  const explains = ({ field, message }: UnwrittenRule, { body }: Answer): boolean => {
    const { details = [] } = errorSchema.parse(body);
    return details.some((each) => field.test(each.path) && message.test(each.message));
  };

  it(`refuses nothing that its document allows, but for what descriptions say (SEED=${SEED})`, async () => {
    const own = await createSampleAccount(api, 'enterprise');
    const refusals: string[] = [];
    type Documented = Awaited<ReturnType<typeof documentedOperations>>[number];
    const check = async ({ document, path, method, operation }: Documented): Promise<void> => {
      const { operationId: id } = operation;
      if (STREAMS.has(id)) return;
      const isWebhook = path.startsWith('/api/webhooks/{id}') && method !== 'delete';
      const known = {
        wait: 0,
        ...(path.includes('{address}') ? { address: KNOWN.token } : {}),
        ...(isWebhook ? { id: own.webhookId } : {}),
      };
      const requests = allowedRequests(document, path, operation, known);
      const rules = UNWRITTEN_RULES[id] ?? [];
      for (const [i, request] of fc
        .sample(requests, { numRuns: ALLOWED_RUNS, seed: SEED })
        .entries()) {
        const headers = Object.fromEntries(
          // The same key with another body is refused, as documented.
          Object.entries(request.headers).map(([name, value]) => [
            name,
            `${i}${value}`.slice(0, 255),
          ]),
        );
        const answer = await api.call(request.path, {
          method: method.toUpperCase(),
          key: own.key,
          headers,
          ...('body' in request ? { body: request.body } : {}),
        });
        // Requests may be refused because there are too many; nothing may break.
        assert.ok(answer.status < 500 || answer.status === 503, `${id} ${answer.text}`);
        if (!isRefusal(answer) || rules.some((rule) => explains(rule, answer))) continue;
        refusals.push(
          `${id} ${JSON.stringify(request).slice(0, 300)}: ${answer.text.slice(0, 300)}`,
        );
      }
    };
    // A few in parallel, as most of the time is waiting.
    const limit = pLimit(4);
    const operations = await documentedOperations();
    await Promise.all(operations.map((each) => limit(check, each)));
    assert.deepEqual(refusals, []);
  });

  it('describes each rule that a schema cannot state, and keeps it', async () => {
    const own = await createSampleAccount(api, 'enterprise');
    const operations = await documentedOperations();
    for (const [id, rules] of Object.entries(UNWRITTEN_RULES)) {
      const found = operations.find(({ operation }) => operation.operationId === id);
      assert.ok(found, id);
      for (const rule of rules) {
        assert.match(found.operation.description, rule.described, id);
        const { path, body } = rule.witness;
        const answer = await api.call(path.replace('{id}', own.webhookId), {
          method: found.method.toUpperCase(),
          key: own.key,
          ...(body === undefined ? {} : { body }),
        });
        assert.ok(isRefusal(answer), `${id} ${path}: ${answer.status} ${answer.text}`);
        assert.ok(explains(rule, answer), `${id} ${path}: ${answer.text}`);
      }
    }
    for (const { operation } of operations) {
      const takesKey =
        operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
      const described = /`Idempotency-Key` with another body is refused/.test(
        operation.description,
      );
      assert.equal(described, takesKey, operation.operationId);
    }
  });

  it('says when to poll a running job again', async () => {
    const address = `0x${'77'.repeat(20)}`;
    const started = await api.post('/tokens/analyze', account.key, { address });
    assert.equal(started.status, 201);
    const { job_id: jobId } = started.body.data;
    assert.match(started.headers.get('Location') ?? '', new RegExp(`/tokens/analyze/${jobId}$`));
    const row = OPERATIONS.find((each) => nameOf(each) === 'POST /tokens/analyze');
    assert.deepEqual(problemsOf(row ?? assert.fail(), started.body), []);
    const polled = await api.call(`/tokens/analyze/${jobId}`, { key: account.key });
    assert.equal(polled.body.data.status, 'analyzing');
    assert.match(polled.headers.get('Retry-After') ?? '', /^[1-9]\d*$/);
  });
});
