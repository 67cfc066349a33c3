import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRegistry } from '../../shared/platform/metrics.ts';
import { addressOf, createFakePorts } from '../testing/fakePorts.ts';
import { startApp } from '../testing/startApp.ts';
import { createRequestMetrics, exportStreamClients } from './apiMetrics.ts';

const setup = async () => {
  const registry = createRegistry();
  const { ports, keys } = createFakePorts();
  const app = await startApp({ ...ports, meter: createRequestMetrics(registry) });
  const values = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values ?? [];
  return { ...app, ...keys.add('pro'), registry, values };
};

describe('the metrics of requests', () => {
  it('name routes by their template, and paths that lead nowhere by one name', async () => {
    const { call, close, key, values } = await setup();
    const paths = Array.from({ length: 20 }, (_, i) => [`/tokens/${addressOf(i)}`, `/x${i}/y`]);
    for (const path of paths.flat()) await call(path, { key });
    await call('/healthz');
    await close();
    const requests = await values('tsd_http_requests_total');
    const routes = new Set(requests.map(({ labels }) => String(labels['route'])));
    assert.deepEqual([...routes].toSorted(), ['/tokens/:address', 'none', 'public']);
    const count = requests.reduce((sum, { value }) => sum + value, 0);
    assert.equal(count, 41);
    assert.deepEqual(
      requests.find(({ labels }) => labels['route'] === 'none'),
      { labels: { method: 'GET', route: 'none', status: '404' }, value: 20 },
    );
    const [inFlight] = await values('tsd_http_requests_in_flight');
    assert.equal(inFlight?.value, 0);
  });

  it('know a client by nothing but the tier of its key', async () => {
    const { call, close, key, registry } = await setup();
    await call(`/tokens/${addressOf(1)}?api_key=${key}`);
    await close();
    const text = await registry.metrics();
    for (const secret of [key, addressOf(1)]) assert.ok(!text.includes(secret));
  });

  it('count open streams when they are asked for', async () => {
    const registry = createRegistry();
    let websocket = 1;
    exportStreamClients(registry, () => ({ websocket, sse: 2 }));
    const read = async () => (await registry.getSingleMetric('tsd_stream_clients')?.get())?.values;
    const expected = (count: number) => [
      { labels: { kind: 'websocket' }, value: count },
      { labels: { kind: 'sse' }, value: 2 },
    ];
    assert.deepEqual(await read(), expected(1));
    websocket = 7;
    assert.deepEqual(await read(), expected(7));
  });
});
