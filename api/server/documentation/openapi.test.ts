import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PUSH_EVENT_TYPES } from '../../../shared/events/pushEvent.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { tempFolder } from '../../../shared/testing/tempFolder.ts';
import { createDocumentChecker } from '../../testing/contract.ts';
import { addressOf, createFakePorts } from '../../testing/fakePorts.ts';
import { startApp } from '../../testing/startApp.ts';
import { webhookPayloadSchema } from '../../webhooks/schema.ts';
import { ERROR_CODES, errorSchema, forbiddenErrorSchema, quotaErrorSchema } from '../apiError.ts';
import { createEndpoints } from '../endpoints.ts';
import { z } from '../schema.ts';
import { describeFields, FIELD_DESCRIPTIONS } from './fieldDescriptions.ts';
import { createOpenApi } from './openapi.ts';

type Json = any;
const execute = promisify(execFile);
const LINT_MS_MAX = 180_000;

/** A range in a request, with ends in the wrong order. */
interface ReversedRange {
  readonly path: readonly string[];
  readonly lower: string;
  readonly upper: string;
  readonly values: Readonly<Record<string, string | number>>;
}

/** Every range among fields and their contents, recognised by the names of its ends. */
const rangesIn = (fields: Record<string, Json>, path: readonly string[] = []): ReversedRange[] =>
  Object.entries(fields).flatMap(([name, schema]) => {
    const upper = name
      .replace(/(^|_)min$/, '$1max')
      .replace(/(^|_)after$/, '$1before')
      .replace(/^from$/, 'to');
    // Address pairs, and daily hours, are no ranges.
    const isRange =
      upper !== name && upper in fields && (name !== 'from' || /ISO 8601/.test(schema.description));
    const values: [unknown, unknown] =
      schema.type === 'string' ? ['2026-01-02', '2026-01-01'] : [1, 0];
    const [anyName] = schema.propertyNames?.enum ?? [];
    const inner = schema.properties ?? (anyName ? { [anyName]: schema.additionalProperties } : {});
    return [
      ...(isRange
        ? [{ path, lower: name, upper, values: { [name]: values[0], [upper]: values[1] } as Json }]
        : []),
      ...rangesIn(inner, [...path, name]),
    ];
  });

describe('OpenAPI document', () => {
  const { ports, keys } = createFakePorts();
  const endpoints = createEndpoints(ports);
  const { key } = keys.add();
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: Json;
  let assertDocumented: ReturnType<typeof createDocumentChecker>;

  before(async () => {
    app = await startApp(ports);
    document = (await app.call('/openapi.json')).body;
    assertDocumented = createDocumentChecker(document);
  });
  after(() => app.close());

  it('is OpenAPI 3.1, served without a key and readable from anywhere', async () => {
    const answer = await app.call('/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(document.openapi, '3.1.0');
    assert.equal(answer.headers.get('Access-Control-Allow-Origin'), '*');
    assert.equal(answer.headers.get('X-RateLimit-Limit'), null);
  });

  it('has a place for every error code, to which errors lead', async () => {
    const { headers, body } = await app.call('/tokens', { key: 'wrong' });
    assert.equal(headers.get('Link'), `</docs/errors#${body.code}>; rel="help"`);
    const { status, text } = await app.call('/docs/errors');
    assert.equal(status, 200);
    for (const code of [...ERROR_CODES, 'insufficient_tier']) {
      const [, section = ''] = text.split(`<section id="${code}">`);
      assert.match(section, /HTTP \d{3}\..*What to do:/, code);
      assert.match(section, /"success": false/, code);
      assert.ok(
        document.info.description.includes(`/docs/errors#${code}`) || code.includes('tier'),
        code,
      );
    }
  });

  it('names exactly the operations that are served', async () => {
    const documented = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    assert.deepEqual(
      documented.toSorted(),
      endpoints.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    for (const { method, path } of endpoints) {
      const url = path.replace(/\{\w+\}/g, '1');
      const answer = await app.call(url, { key, method: method.toUpperCase() });
      const isRouted = answer.status !== 405 && answer.body?.message !== 'no such path';
      assert.ok(isRouted, `${method} ${url}: ${answer.text}`);
    }
  });

  it('describes every field and parameter, with no entry that describes nothing', () => {
    const fresh = JSON.parse(JSON.stringify(document));
    const strip = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return;
      if (Object.values(FIELD_DESCRIPTIONS).includes(value.description)) delete value.description;
      Object.values(value).forEach(strip);
    };
    assert.deepEqual(describeFields(document).missing, []);
    strip(fresh);
    const { missing, used } = describeFields(fresh);
    assert.deepEqual(missing, []);
    const unused = Object.keys(FIELD_DESCRIPTIONS).filter((name) => !used.has(name));
    assert.deepEqual(unused, []);
  });

  it('gives every error an example that its schema accepts', () => {
    for (const { method, path, errors } of endpoints) {
      const { responses } = document.paths[path][method];
      for (const status of errors) {
        const { example } = responses[status].content['application/json'];
        const schema =
          status === 403 ? forbiddenErrorSchema : z.union([quotaErrorSchema, errorSchema]);
        assert.ok(schema.safeParse(example).success, `${method} ${path} ${status}`);
      }
    }
  });

  it('shows examples that their schemas accept unchanged', () => {
    for (const { id, method, path, response } of endpoints) {
      const { responses } = document.paths[path][method];
      const { example } =
        responses['200' in responses ? 200 : 201]?.content['application/json'] ?? {};
      if (example !== undefined) assert.deepEqual(response.parse(example), example, id);
      else assert.ok(['openSocket', 'openEvents', 'exportDay'].includes(id), id);
    }
  });

  it('documents what validates: integers, bounds, defaults, required fields', () => {
    const parameters: Json[] = document.paths['/tokens'].get.parameters;
    const limit = parameters.find(({ name }) => name === 'limit');
    assert.deepEqual(limit.schema, { type: 'integer', minimum: 1, maximum: 100, default: 50 });
    assert.equal(limit.required, false);
    const min = parameters.find(({ name }) => name === 'min_confidence');
    assert.deepEqual(min.schema, { type: 'integer', minimum: 0, maximum: 100 });
    const { schema } = document.paths['/watchlist'].post.requestBody.content['application/json'];
    assert.deepEqual(schema.required, ['type', 'address']);
    assert.equal(schema.additionalProperties, false);
  });

  it('refuses every range whose ends are the wrong way round, naming the lower one', async () => {
    const tried: string[] = [];
    const refuse = async (range: ReversedRange, path: string, body?: object): Promise<void> => {
      const name = [...range.path, range.lower].join('.');
      const method = body ? 'POST' : 'GET';
      const answer = await app.call(path, { key, method, body });
      assert.equal(answer.status, 400, `${path} ${name}`);
      const found = answer.body.details.find((detail: Json) => detail.path === name);
      assert.equal(found?.message, `must be <= ${range.upper}`, `${path} ${name}`);
      tried.push(`${path.split('?')[0]} ${name}`);
    };
    for (const [path, { get, post }] of Object.entries<Json>(document.paths)) {
      const parameters: Json[] = get?.parameters ?? [];
      const inQuery = parameters.filter((parameter) => parameter.in === 'query');
      const fields = Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]));
      for (const range of rangesIn(fields)) {
        const place = path.replace('{address}', addressOf(1));
        await refuse(range, `${place}?${new URLSearchParams(range.values as Json).toString()}`);
      }
      const body = post?.requestBody?.content['application/json'].schema.properties ?? {};
      for (const range of rangesIn(body)) {
        const nested = range.path.reduceRight<Json>(
          (held, name) => ({ [name]: held }),
          range.values,
        );
        await refuse(range, path, nested);
      }
    }
    for (const [path, name] of [
      ['/api/tokens', 'confidence_min'],
      ['/api/tokens', 'created_after'],
      ['/api/alerts', 'created_after'],
      [`/api/wallets/${addressOf(1)}/reputation`, 'from'],
      ['/api/search/advanced', 'filters.created.after'],
      ['/api/search/advanced', 'filters.features.holder_count.min'],
    ]) {
      assert.ok(tried.includes(`${path} ${name}`), `${path} ${name} was not tried`);
    }
  });

  it('gives every operation an id, tag, security and the common refusals', () => {
    const ids = new Set<string>();
    for (const { method, path } of endpoints) {
      const operation = document.paths[path][method];
      ids.add(operation.operationId);
      assert.ok(document.tags.some(({ name }: Json) => name === operation.tags[0]));
      for (const status of ['400', '401', '429', '500', '503']) {
        assert.ok(operation.responses[status], `${method} ${path} lacks ${status}`);
      }
    }
    assert.equal(ids.size, endpoints.length);
    assert.equal(document.security.length, 3);
  });

  it('describes refusals that no good request meets', async () => {
    const get = async (path: string, url: string, caller: string) =>
      assertDocumented(path, 'get', await app.call(url, { key: caller }));
    const post = async (body: unknown, headers = {}) => {
      const path = '/tokens/analyze';
      assertDocumented(path, 'post', await app.call(path, { key, method: 'POST', body, headers }));
    };
    await get('/tokens/{address}', `/tokens/${addressOf(0xee)}`, key);
    await post({ address: 'a'.repeat(300_000) });
    await post('{}', { 'Content-Type': 'text/plain' });
    const limited = keys.add('free');
    keys.use(limited.family, 200);
    await get('/stats', '/stats', limited.key);
  });

  it('passes the linter of Redocly without an error, offline', async () => {
    const folder = tempFolder();
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await execute(
      join(projectRoot(), 'node_modules/.bin/redocly'),
      ['lint', '--extends=recommended', '--format=json', file],
      { cwd: folder, timeout: LINT_MS_MAX, env: { ...process.env, ...quiet } },
    );
    const { totals, problems } = JSON.parse(stdout);
    assert.equal(totals.errors, 0, JSON.stringify(problems));
  });

  it('names the events that webhooks get, with an example each', () => {
    const names = Object.keys(document.webhooks);
    assert.deepEqual(names.toSorted(), [...PUSH_EVENT_TYPES].toSorted());
    for (const name of names) {
      const content = document.webhooks[name].post.requestBody.content['application/json'];
      assert.equal(content.example.type, name);
      assert.ok(webhookPayloadSchema.safeParse(content.example).success, name);
    }
  });

  it('is the same for the same operations', () => {
    assert.deepEqual(
      JSON.stringify(createOpenApi(endpoints, 'http://api.test')),
      JSON.stringify(document),
    );
  });
});

describe('documentation pages', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  before(async () => {
    app = await startApp(createFakePorts().ports);
  });
  after(() => app.close());

  it('need no key, load only from this server and allow no other script', async () => {
    for (const path of ['/docs', '/redoc']) {
      const page = await app.call(path);
      assert.equal(page.status, 200);
      assert.equal((await app.call(`${path}/`)).text, page.text, 'also with a slash at its end');
      assert.match(page.headers.get('Content-Type') ?? '', /^text\/html/);
      const policy = page.headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self';/);
      assert.ok(!policy.includes('unsafe-eval'));
      const sources = [...page.text.matchAll(/(?:src|href|spec-url)="([^"]+)"/g)].map(
        (match) => match[1] ?? '',
      );
      assert.ok(sources.length >= 3);
      assert.ok(!/<script>|\son\w+=/.test(page.text));
      for (const source of sources) {
        assert.ok(!/^(https?:)?\/\//.test(source), source);
        const asset = await app.call(`/${source}`);
        assert.equal(asset.status, 200, source);
        assert.ok(asset.text.length > 50);
      }
    }
  });
});
