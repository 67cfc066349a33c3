import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { NatsConnection } from 'nats';
import { type Service, startNats } from '../testing/services.ts';
import { systemClock } from './clock.ts';
import { FatalError } from './errors.ts';
import { withLeadership } from './lease.ts';
import { silentLogger } from './logger.ts';
import { connectNats, ensureStreams, LEASE_BUCKET } from './nats.ts';

/** Renewals of another lease, one a second, in less time than a lease lasts without renewal. */
const RENEWALS_SOON = 3;

/** An event that a test can await. */
const later = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
};

describe('withLeadership', () => {
  let nats: Service;
  const connections: NatsConnection[] = [];
  before(async () => {
    nats = await startNats();
    const connection = await connectNats(nats.url, 'test');
    connections.push(connection);
    await ensureStreams(connection, []);
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await nats.stop();
  });

  /** One process that tries to get the lease. */
  const contend = async (name: string) => {
    const connection = await connectNats(nats.url, 'test');
    connections.push(connection);
    const stop = new AbortController();
    const parts = { connection, clock: systemClock, logger: silentLogger };
    const [begun, lost] = [later(), later()];
    const ended = withLeadership(parts, name, stop.signal, async (signal) => {
      begun.resolve();
      await once(signal, 'abort');
      if (!stop.signal.aborted) lost.resolve();
    });
    const end = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    return { connection, begun: begun.promise, lost: lost.promise, end };
  };
  /** Resolves when a lease was renewed this often: in more time than it lasts without renewal. */
  const renewals = async (connection: NatsConnection, name: string, wanted: number) => {
    const kv = await connection.jetstream().views.kv(LEASE_BUCKET);
    let seen = 0;
    for await (const entry of await kv.watch({ key: name })) {
      if (entry.operation === 'PUT') seen += 1;
      if (seen > wanted) return;
    }
  };
  const isFirst = (one: Promise<void>, other: Promise<void>): Promise<boolean> =>
    Promise.race([one.then(() => true), other.then(() => false)]);

  it('lets one work at a time, the next as soon as the first has ended', async () => {
    const first = await contend('a');
    await first.begun;
    const second = await contend('a');
    const meanwhile = await contend('a2');
    await meanwhile.begun;
    const isSoon = isFirst(second.begun, renewals(meanwhile.connection, 'a2', RENEWALS_SOON));
    await first.end();
    assert.equal(await isSoon, true, 'not only when the lease has run out');
    for (const one of [second, meanwhile]) await one.end();
  });

  it('does not let another in while it is renewed', async () => {
    const first = await contend('b');
    await first.begun;
    const second = await contend('b');
    assert.equal(await isFirst(renewals(first.connection, 'b', 7), second.begun), true);
    await second.end();
    await first.end();
  });

  it('goes over to another when its holder falls silent, who then stops', async () => {
    const first = await contend('c');
    await first.begun;
    const second = await contend('c');
    await first.connection.close();
    await Promise.all([second.begun, first.lost]);
    for (const one of [first, second]) await one.end();
  });

  it('stops a holder whose lease another has written, and lets it wait again', async () => {
    const first = await contend('e');
    await first.begun;
    const kv = await first.connection.jetstream().views.kv(LEASE_BUCKET);
    await kv.put('e', JSON.stringify({ ...(await kv.get('e'))?.json<object>(), id: 'other' }));
    await first.lost;
    await first.end();
  });

  it('fails where the work of a lost lease does not end', async () => {
    const [connection] = connections;
    assert.ok(connection, 'it is connected');
    const soon = (ms: number, signal?: AbortSignal) =>
      systemClock.sleep(Math.min(ms, 2_000), signal);
    const parts = { connection, clock: { ...systemClock, sleep: soon }, logger: silentLogger };
    const begun = later();
    const never = (): Promise<void> => {
      begun.resolve();
      return new Promise(() => undefined);
    };
    const ended = withLeadership(parts, 'g', new AbortController().signal, never);
    await begun.promise;
    const kv = await connection.jetstream().views.kv(LEASE_BUCKET);
    await kv.put('g', JSON.stringify({ ...(await kv.get('g'))?.json<object>(), id: 'other' }));
    await assert.rejects(ended, FatalError);
  });

  it('goes over at once when its holder was a process of this machine that has ended', async () => {
    const kv = await connections[0]?.jetstream().views.kv(LEASE_BUCKET);
    const first = await contend('f');
    await first.begun;
    const holder = (await kv?.get('f'))?.json<object>();
    await first.end();
    await kv?.put('f', JSON.stringify({ ...holder, startTime: '1' }));
    const meanwhile = await contend('f2');
    await meanwhile.begun;
    const soon = renewals(meanwhile.connection, 'f2', RENEWALS_SOON);
    const second = await contend('f');
    assert.equal(await isFirst(second.begun, soon), true, 'not only when the lease has run out');
    for (const one of [second, meanwhile]) await one.end();
  });

  it('ends without having worked when it is stopped while it waits', async () => {
    const first = await contend('d');
    await first.begun;
    const second = await contend('d');
    await second.end();
    await first.end();
  });
});
