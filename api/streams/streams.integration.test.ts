import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { eventId } from '../../shared/events/pushEvent.ts';
import type { Alert } from '../../shared/messages/alertMessage.ts';
import { startRole } from '../../shared/testing/pipelineProcess.ts';
import { publishAlert, publishScore } from '../../shared/testing/samples.ts';
import { freePort } from '../../shared/testing/services.ts';
import { untilChangesFollowed } from '../../shared/testing/stores.ts';
import { eventually, startApi } from '../testing/startApi.ts';

type Json = any;

/** A client that keeps what it receives. */
const openClient = async (url: string, options: { key?: string; protocols?: string[] } = {}) => {
  const headers = options.key === undefined ? {} : { 'X-API-Key': options.key };
  const socket = new WebSocket(url, options.protocols ?? [], { headers });
  const received: Json[] = [];
  socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const refused = new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  socket.on('error', () => undefined);
  const opened = once(socket, 'open').then(() => 0);
  const status = await Promise.race([opened, refused]);
  return {
    socket,
    received,
    closed,
    /** 0 if it was admitted. */
    status,
    say: (message: object) => socket.send(JSON.stringify(message)),
    receives: (holds: (received: Json[]) => boolean) => eventually(async () => received, holds),
    events: () => received.filter(({ op }) => op === 'event'),
  };
};

describe('streams', () => {
  let api: Awaited<ReturnType<typeof startApi>>;
  let ws: string;
  before(async () => {
    api = await startApi({ RATE_PLANS: '{"pro":{"streams":4},"enterprise":{"streams":50}}' });
    ws = `${api.baseUrl.replace('http', 'ws')}/api/ws`;
  });
  after(() => api.close());

  let alerts = 0;
  const raise = (family: string, changes: Partial<Alert> = {}): Promise<string> => {
    alerts += 1;
    return publishAlert(api.connection, family, alerts, changes);
  };
  const score = () => publishScore(api.connection);
  const subscribed = async (client: Awaited<ReturnType<typeof openClient>>, message: Json) => {
    const hasBegun = (): boolean =>
      client.received.some(({ op, id }) => op === 'subscribed' && id === message.id);
    const refusals = (): number =>
      client.received.filter(({ code, id }) => code === 'SYS_002' && id === message.id).length;
    // A client that is asked to retry soon does so.
    while (!hasBegun()) {
      const before = refusals();
      client.say({ op: 'subscribe', ...message });
      await client.receives(() => hasBegun() || refusals() > before);
    }
  };
  /** Reads server-sent events until `holds`. */
  const readEvents = async (
    path: string,
    key: string,
    holds: (text: string) => boolean,
    headers = {},
  ): Promise<string> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(90_000)]);
    const options = { headers: { 'X-API-Key': key, ...headers }, signal };
    const response = await fetch(`${api.baseUrl}${path}`, options);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/event-stream/);
    let text = '';
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString();
      if (holds(text)) break;
    }
    controller.abort();
    return text;
  };

  it('sends each family its alerts, and everyone the verdicts asked for', async () => {
    const [one, other] = [await api.newKey('pro'), await api.newKey('pro')];
    const client = await openClient(ws, { key: one.key });
    await subscribed(client, { id: '1', channel: 'alerts', filter: { min_severity: 'warning' } });
    await subscribed(client, { id: '2', channel: 'scams' });
    await raise(other.info.family);
    await raise(one.info.family, { severity: 'info' });
    const id = await raise(one.info.family);
    await score();
    await client.receives(() => client.events().length === 2);
    const [alert, scam] = client.events();
    assert.deepEqual(
      [alert.channel, alert.id, alert.type, alert.alert_type, alert.token.symbol],
      ['alerts', id, 'watchlist.alert', 'rug_pull', 'MPEPE'],
    );
    assert.deepEqual([scam.channel, scam.type], ['scams', 'token.scam_detected']);
    client.say({ op: 'unsubscribe', id: '1' });
    await client.receives((received) => received.some(({ op }) => op === 'unsubscribed'));
    await raise(one.info.family);
    await score();
    await client.receives(() => client.events().length === 3);
    assert.equal(client.events()[2].channel, 'scams');
    client.socket.close();
  });

  it('lets in whom the contract lets in, and answers the others as elsewhere', async () => {
    const { key } = await api.newKey('pro');
    const starter = await api.newKey('starter');
    assert.equal((await openClient(ws)).status, 401);
    assert.equal((await openClient(ws, { key: 'x' })).status, 401);
    assert.equal((await openClient(ws, { key: starter.key })).status, 403);
    assert.equal((await openClient(`${ws}/nowhere`, { key })).status, 404);
    assert.equal((await api.call('/api/ws', { key })).status, 426);
    const browser = await openClient(ws, { protocols: ['tsd.v1', `key.${key}`] });
    assert.deepEqual([browser.status, browser.socket.protocol], [0, 'tsd.v1']);
    const { body } = await api.post('/api/ws/ticket', key);
    const url = `${ws}?ticket=${body.data.ticket}`;
    const byTicket = await openClient(url);
    assert.equal(byTicket.status, 0);
    assert.equal((await openClient(url)).status, 401);
    const used = await api.call(`/api/ws?ticket=${body.data.ticket}`);
    assert.equal(used.body.message, 'The ticket is unknown, used or older than a minute');
    const open = [browser, byTicket];
    for (let more = 0; more < 2; more += 1) open.push(await openClient(ws, { key }));
    assert.equal((await openClient(ws, { key })).status, 403);
    open[0]?.socket.close();
    await eventually(
      () => openClient(ws, { key }),
      ({ status }) => status === 0,
    );
    for (const client of open) client.socket.terminate();
    assert.ok(!api.log().includes(key));
    assert.ok(!api.log().includes(body.data.ticket));
  });

  it('resumes without loss or doubles, also over the other transport', async () => {
    const { key, info } = await api.newKey('enterprise');
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await raise(info.family));
    const client = await openClient(ws, { key });
    const resume = { id: '1', channel: 'alerts', last_event_id: ids[1] };
    const raising = (async () => {
      for (let count = 0; count < 40; count += 1) ids.push(await raise(info.family));
    })();
    await subscribed(client, resume);
    await raising;
    await client.receives(() => client.events().length >= 43);
    assert.deepEqual(
      client.events().map(({ id }) => id),
      ids.slice(2),
    );
    const shown = client.received.find(({ op }) => op === 'subscribed');
    assert.ok(shown.replayed >= 3);
    const last = ids.at(-3) ?? '';
    const text = await readEvents(
      '/api/events?events=watchlist.alert',
      key,
      (all) => all.includes(`id: ${ids.at(-1)}\n`),
      { 'Last-Event-ID': last },
    );
    assert.deepEqual(
      [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id),
      ids.slice(-2),
    );
    const data = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
    assert.equal(data.id, ids.at(-2));
    const stale = await openClient(ws, { key });
    const old = eventId('old', Date.now() - 48 * 3_600_000);
    await subscribed(stale, { id: '1', channel: 'alerts', last_event_id: old });
    const gap = stale.received.find(({ op }) => op === 'subscribed');
    assert.deepEqual([gap.gap, gap.replayed], [true, ids.length]);
    const future = eventId('future', Date.now() + 48 * 3_600_000);
    stale.say({ op: 'unsubscribe', id: '1' });
    await subscribed(stale, { id: '2', channel: 'alerts', last_event_id: future });
    const none = stale.received.find(({ op, id }) => op === 'subscribed' && id === '2');
    assert.deepEqual([none.gap, none.replayed], [true, ids.length]);
    client.socket.close();
    stale.socket.close();
  });

  it('closes streams at once when their key is revoked or rotated', async () => {
    const { key, info } = await api.newKey('pro');
    const client = await openClient(ws, { key });
    const events = fetch(`${api.baseUrl}/api/events`, { headers: { 'X-API-Key': key } }).then(
      (response) => response.text(),
    );
    await eventually(
      () => api.cache.scard(`stream-permits:${info.family}`),
      (count) => count === 2,
    );
    await api.keys.revoke(info.id);
    assert.equal(await client.closed, 4401);
    assert.match(await events, /event: close\ndata: \{"code":4401/);
    const rotated = await api.newKey('pro');
    const second = await openClient(ws, { key: rotated.key });
    await api.keys.rotate(rotated.info.id, { overlapMs: 0 });
    assert.equal(await second.closed, 4401);
  });

  it('closes who does not read, who talks too much and who sends too much', async () => {
    const { key, info } = await api.newKey('enterprise');
    const slow = await openClient(ws, { key });
    await subscribed(slow, { id: '1', channel: 'alerts' });
    slow.socket.pause();
    const details = { text: 'x'.repeat(15_000) };
    for (let count = 0; count < 600; count += 1) await raise(info.family, { details });
    await eventually(
      async () => api.log().includes('"code":4409'),
      (isClosed) => isClosed,
    );
    slow.socket.resume();
    assert.ok([4409, 1006].includes(await slow.closed));
    const loud = await openClient(ws, { key });
    for (let count = 0; count < 100; count += 1) loud.socket.send('{');
    assert.equal(await loud.closed, 4429);
    assert.equal(loud.received[0].code, 'REQ_001');
    const large = await openClient(ws, { key });
    large.socket.send('x'.repeat(20_000));
    assert.equal(await large.closed, 1009);
  });

  it('survives ten thousand malformed frames', async () => {
    const { key } = await api.newKey('enterprise');
    const handshake = [
      'GET /api/ws HTTP/1.1',
      'Host: api',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `X-API-Key: ${key}`,
      '\r\n',
    ].join('\r\n');
    const attack = (seed: number): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(api.port, '127.0.0.1', () => socket.write(handshake));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        socket.once('data', () => {
          for (let frame = 0; frame < 250; frame += 1) {
            const bytes = Buffer.alloc(12, (seed * 31 + frame * 7) % 256);
            socket.write(bytes);
          }
          socket.end();
        });
      });
    for (let round = 0; round < 4; round += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, index) => attack(round * 10 + index)));
    }
    const client = await eventually(
      () => openClient(ws, { key }),
      ({ status }) => status === 0,
    );
    for (const text of ['[]', 'null', '{"op":"subscribe"}', '{"op":"x","id":"7"}', '"x"']) {
      client.socket.send(text);
    }
    client.socket.send(Buffer.from([1, 2, 3]));
    client.say({ op: 'subscribe', id: '1', channel: 'nope' });
    client.say({ op: 'subscribe', id: '2', channel: 'alerts', last_event_id: 'msg_1' });
    client.say({ op: 'unsubscribe', id: '3' });
    client.say({ op: 'subscribe', id: '4', channel: 'scams', more: 1 });
    client.say({ op: 'subscribe', id: '5', channel: 'scams', filter: { job_id: 'x' } });
    client.say({ op: 'subscribe', id: '6', channel: 'scams', filter: { addresses: ['x'] } });
    client.say({ op: 'subscribe', id: '8', channel: 'scams', filter: { chain: 1 } });
    await client.receives((received) => received.length === 13);
    assert.ok(client.received.every(({ op, code }) => op === 'error' && code === 'REQ_001'));
    const refusal = (wanted: string) => client.received.find(({ id }) => id === wanted)?.error;
    assert.equal(refusal('7'), 'op: must be one of subscribe, unsubscribe');
    assert.match(refusal('1'), /^channel: must be one of alerts, /);
    assert.equal(
      refusal('4'),
      'more: is not a known field; known here: op, id, channel, filter, last_event_id',
    );
    assert.match(refusal('8'), /^filter.chain: is not a known field; known here: addresses, /);
    assert.match(refusal('5'), /^filter.job_id: is for the channel jobs/);
    assert.match(refusal('6'), /^filter.addresses.0: must be an address: 0x and 40 /);
    client.socket.close();
  });

  it('follows the settings of the family', async () => {
    const { key, info } = await api.newKey('pro');
    const client = await openClient(ws, { key });
    await subscribed(client, { id: '1', channel: 'alerts' });
    await subscribed(client, { id: '2', channel: 'scams' });
    const configure = async (websocket: boolean): Promise<void> => {
      await api.post('/api/alerts/configure', key, { channels: { websocket } });
      await untilChangesFollowed(api.cache, 1);
    };
    await configure(false);
    await raise(info.family);
    await score();
    await client.receives(() => client.events().length === 1);
    await configure(true);
    const id = await raise(info.family);
    await client.receives(() => client.events().length > 1);
    assert.deepEqual(
      client.events().map((event) => (event.channel === 'alerts' ? event.id : event.channel)),
      ['scams', id],
    );
    client.socket.close();
  });

  it('resumes for a client that had no event yet', async () => {
    const { key, info } = await api.newKey('pro');
    const client = await openClient(ws, { key });
    await subscribed(client, { id: '1', channel: 'alerts' });
    const { last_event_id: start } = client.received.find(({ op }) => op === 'subscribed');
    client.socket.close();
    const path = '/api/events?events=watchlist.alert';
    const first = await readEvents(path, key, (text) => text.endsWith('\n\n'));
    const missed = [await raise(info.family), await raise(info.family)];
    const again = await openClient(ws, { key });
    await subscribed(again, { id: '1', channel: 'alerts', last_event_id: start });
    await again.receives(() => again.events().length === 2);
    assert.deepEqual(
      again.events().map(({ id }) => id),
      missed,
    );
    const { last_event_id: next } = again.received.find(({ op }) => op === 'subscribed');
    assert.equal(next, undefined);
    again.socket.close();
    const resumed = { 'Last-Event-ID': /^id: (.*)$/m.exec(first)?.[1] ?? '' };
    const text = await readEvents(path, key, (all) => all.includes(missed[1] ?? ''), resumed);
    assert.deepEqual(
      [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id),
      missed,
    );
  });

  it('keeps the permits of open streams, and those of nobody for an hour at most', async () => {
    const { key, info } = await api.newKey('pro');
    const client = await openClient(ws, { key });
    const permits = `stream-permits:${info.family}`;
    const isLasting = (ms: number): boolean => ms > 3_000_000 && ms <= 3_600_000;
    assert.ok(isLasting(await api.cache.pttl(permits)));
    await api.cache.pexpire(permits, 60_000);
    await eventually(() => api.cache.pttl(permits), isLasting);
    client.socket.close();
  });

  it('frees the permits of streams that were never opened within seconds', async () => {
    const { key, info } = await api.newKey('pro');
    const breakOff = (): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(api.port, '127.0.0.1', () =>
          // There is no Sec-WebSocket-Key: the handshake is refused although everything else is valid.
          socket.write(
            `GET /api/ws HTTP/1.1\r\nHost: api\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-API-Key: ${key}\r\n\r\n`,
          ),
        );
        socket.on('data', () => socket.destroy());
        socket.on('close', () => resolve());
      });
    for (let count = 0; count < 4; count += 1) await breakOff();
    assert.equal(await api.cache.scard(`stream-permits:${info.family}`), 4);
    const client = await eventually(
      () => openClient(ws, { key }),
      ({ status }) => status === 0,
    );
    client.socket.close();
  });

  it('frees the permits of a process that was killed within seconds', async () => {
    const { key } = await api.newKey('pro');
    const port = await freePort();
    const second = startRole('api', { ...api.environment, PORT: String(port) });
    const url = `ws://127.0.0.1:${port}/api/ws`;
    await eventually(
      () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      (status) => status === 200,
    );
    for (let count = 0; count < 4; count += 1) {
      assert.equal((await openClient(url, { key })).status, 0);
    }
    const refusal = await api.call('/api/events', { key });
    assert.deepEqual([refusal.status, refusal.headers.get('Retry-After')], [403, '10']);
    await second.stop('SIGKILL');
    const startMs = Date.now();
    const client = await eventually(
      () => openClient(ws, { key }),
      ({ status }) => status === 0,
    );
    // At most ten seconds, plus the time of the request on a busy machine.
    assert.ok(Date.now() - startMs < 20_000);
    client.socket.close();
  });

  it('ends its streams with 1012, and goes on where they ended in another process', async () => {
    const { key, info } = await api.newKey('pro');
    const client = await openClient(ws, { key });
    await subscribed(client, { id: '1', channel: 'alerts' });
    const first = await raise(info.family);
    await client.receives(() => client.events().length === 1);
    const ended = api.process.stop();
    assert.equal(await client.closed, 1012);
    const missed = [await raise(info.family), await raise(info.family)];
    assert.equal(await ended, 0);
    const successor = startRole('api', api.environment);
    after(() => successor.stop('SIGKILL'));
    const readyz = () =>
      api.call('/readyz').then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(readyz, (status) => status === 200);
    const again = await openClient(ws, { key });
    await subscribed(again, { id: '1', channel: 'alerts', last_event_id: first });
    const later = await raise(info.family);
    await again.receives(() => again.events().length === 3);
    assert.deepEqual(
      again.events().map(({ id }) => id),
      [...missed, later],
    );
    again.socket.close();
  });
});
