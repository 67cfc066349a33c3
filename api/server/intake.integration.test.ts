import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { freePort } from '../../shared/testing/services.ts';
import { eventually, startApi } from '../testing/startApi.ts';

const ATTACKERS = 520;
/** Number of requests that a process certainly works on before the test continues: its number of slots. */
const HELD_MIN = 500;
/** Eight addresses, so that none exceeds its share. */
const SPREAD = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
/** One address that takes as much as possible. */
const ALONE = ['127.0.0.2'];
const ORDINARY_REQUESTS = 40;

const SLOW_FORM =
  'POST /dashboard/sign-in HTTP/1.1\r\nHost: x\r\n' +
  'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na';
const SLOW_HEADERS = 'GET /stats HTTP/1.1\r\nHost: x\r\nX-Slow: a';
const IDLE = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const LARGE = 'GET /redoc/redoc.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4);

describe('many connections that send or read slowly', () => {
  let api: Awaited<ReturnType<typeof startApi>>;
  let healthPort: number;
  let key: string;
  let held: Socket[] = [];
  let served = 0;
  before(async () => {
    healthPort = await freePort();
    api = await startApi({ HEALTH_PORT: String(healthPort) });
    ({ key } = await api.newKey('enterprise'));
  });
  afterEach(async () => {
    for (const socket of held) socket.destroy();
    held = [];
    await eventually(inFlight, (count) => count === 0);
  });
  after(() => api?.close());

  const metrics = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const sumOf = (text: string, series: RegExp): number =>
    text
      .split('\n')
      .filter((line) => series.test(line))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  const inFlight = async () => sumOf(await metrics(), /^tsd_http_requests_in_flight /);
  const refusedBy = async (limit: string) =>
    sumOf(await metrics(), new RegExp(`^tsd_http_concurrency_refused_total\\{.*limit="${limit}"`));

  /** Opens connections that send one of these texts and nothing more; resolves once all are open. */
  const attack = async (addresses: readonly string[], texts: readonly string[], reads = true) => {
    const opened = Array.from({ length: ATTACKERS }, (_, index) => {
      const localAddress = addresses[index % addresses.length] ?? '';
      const text = texts[index % texts.length] ?? '';
      const socket = connect({ port: api.port, host: '127.0.0.1', localAddress });
      held.push(socket);
      socket.on('error', () => undefined);
      if (reads) socket.resume();
      return new Promise<void>((resolve) => {
        socket.once('close', () => resolve());
        socket.once('connect', () => socket.write(text, () => resolve()));
      });
    });
    await Promise.all(opened);
  };
  /** Responses that other clients get meanwhile, from the API and from the dashboard. */
  const assertOthersAreServed = async (): Promise<void> => {
    const refused: string[] = [];
    served += 1;
    const body = { address: `0x${String(served).padStart(40, '0')}` };
    for (let count = 0; count < ORDINARY_REQUESTS; count += 1) {
      for (const answer of [
        await api.call('/stats', { key }),
        await api.call('/dashboard/sign-in'),
      ])
        if (answer.status !== 200) refused.push(`${answer.status} ${answer.text}`);
    }
    assert.deepEqual(refused, []);
    assert.equal((await api.post('/tokens/analyze', key, body)).status, 201);
  };

  it('take no slot with bodies that do not come, from many addresses', async () => {
    await attack(SPREAD, [SLOW_FORM]);
    await eventually(inFlight, (count) => count >= HELD_MIN);
    await assertOthersAreServed();
  });

  it('take no slot with bodies that do not come, with good keys', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, () => api.newKey('enterprise')));
    const texts = keys.map(
      ({ key: own }) =>
        `POST /tokens/analyze HTTP/1.1\r\nHost: x\r\nX-API-Key: ${own}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    );
    await attack(SPREAD, texts);
    await eventually(inFlight, (count) => count >= HELD_MIN);
    await assertOthersAreServed();
  });

  it('are bounded for one address: what is over its share is refused and counted', async () => {
    await attack(ALONE, [SLOW_FORM]);
    await eventually(inFlight, (count) => count >= 128);
    await eventually(
      () => refusedBy('address'),
      (count) => count > 0,
    );
    // Refused connections are closed; idle ones remain.
    await attack(ALONE, [IDLE]);
    await eventually(
      () => refusedBy('address_connections'),
      (count) => count > 0,
    );
    await assertOthersAreServed();
    assert.equal(await refusedBy('dashboard'), 0);
    assert.equal(await refusedBy('api'), 0);
  });

  it('block no other client with headers that do not end', async () => {
    await attack(SPREAD, [SLOW_HEADERS]);
    await assertOthersAreServed();
  });

  it('block no other client by staying open without a request', async () => {
    await attack(SPREAD, [IDLE]);
    await assertOthersAreServed();
  });

  it('block no other client with large answers that they do not take', async () => {
    await attack(SPREAD, [LARGE], false);
    await assertOthersAreServed();
  });
});
