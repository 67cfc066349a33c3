import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type HttpServer, startHttp } from '../testing/startHttp.ts';
import { silentLogger } from './logger.ts';
import { type BlockSpan, createTracer } from './tracer.ts';

const BLOCK_HASH = `0x${'0123456789abcdef'.repeat(4)}` as const;
const span: BlockSpan = {
  name: 'block handled',
  blockHash: BLOCK_HASH,
  startMs: 1_000,
  endMs: 1_005,
  attributes: { block: 7 },
};

describe('a tracer', () => {
  let server: HttpServer;
  let endpoint: string;
  let status = 200;
  const counts = { sent: 0, dropped: 0 };
  before(async () => {
    server = await startHttp((_, response) => response.writeHead(status).end('{}'));
    endpoint = server.origin;
  });
  after(() => server.close());
  beforeEach(() => {
    server.received.length = 0;
    Object.assign(counts, { sent: 0, dropped: 0 });
    status = 200;
  });
  const received = () =>
    server.received.map(({ path, body }) => ({ url: path, body: JSON.parse(body) as any }));

  const open = (to: string | undefined = endpoint) =>
    createTracer({
      endpoint: to,
      role: 'scorer',
      chainId: 1,
      logger: silentLogger,
      meter: {
        sent: (count) => void (counts.sent += count),
        dropped: (count) => void (counts.dropped += count),
      },
    });

  it('sends spans by OTLP; those of one block are one trace, in every process', async () => {
    const tracer = open(`${endpoint}/`);
    tracer.span({ ...span, name: 'block published', isRoot: true });
    tracer.span(span);
    await tracer.close();
    assert.deepEqual(counts, { sent: 2, dropped: 0 });
    const [request] = received();
    assert.equal(request?.url, '/v1/traces');
    assert.ok(request);
    const [{ resource, scopeSpans }] = request.body.resourceSpans;
    assert.deepEqual(resource.attributes[0], {
      key: 'service.name',
      value: { stringValue: 'tsd-scorer' },
    });
    const [root, child] = scopeSpans[0].spans;
    const traceId = BLOCK_HASH.slice(2, 34);
    assert.deepEqual([root.traceId, child.traceId], [traceId, traceId]);
    assert.equal(root.spanId, BLOCK_HASH.slice(34, 50));
    assert.equal(root.parentSpanId, undefined);
    assert.equal(child.parentSpanId, root.spanId);
    assert.match(child.spanId, /^[0-9a-f]{16}$/);
    assert.equal(child.startTimeUnixNano, '1000000000');
    assert.equal(child.endTimeUnixNano, '1005000000');
    assert.deepEqual(child.attributes, [
      { key: 'block', value: { intValue: '7' } },
      { key: 'blockHash', value: { stringValue: BLOCK_HASH } },
    ]);
  });

  it('drops and counts what the collector does not take', async () => {
    status = 503;
    const refused = open();
    refused.span(span);
    await refused.close();
    const away = open('http://127.0.0.1:1');
    away.span(span);
    await away.close();
    assert.deepEqual(counts, { sent: 0, dropped: 2 });
  });

  it('keeps a bounded number of spans', async () => {
    const tracer = open();
    for (let i = 0; i < 2_100; i += 1) tracer.span(span);
    await tracer.close();
    assert.deepEqual(counts, { sent: 2_000, dropped: 100 });
  });

  it('sends nothing without a collector', async () => {
    const none = createTracer({
      endpoint: undefined,
      role: 'scorer',
      chainId: 1,
      logger: silentLogger,
      meter: { sent: () => undefined, dropped: () => undefined },
    });
    none.span(span);
    await none.close();
    assert.deepEqual(received(), []);
  });
});
