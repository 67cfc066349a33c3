import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JetStreamManager, NatsConnection } from 'nats';
import { chainStream } from '../../shared/messages/subjects.ts';
import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { loopbackHosts, type NatsServer, startNatsCluster } from '../../shared/testing/services.ts';
import { type ChainTraffic, startChainTraffic } from './testing/chainTraffic.ts';

const CHAIN_ID = 1;
const STREAM = chainStream(CHAIN_ID);
const REPLICAS = 3;
const WAIT_MS_MAX = 180_000;
/** Events that have to get through after a fault. */
const EVENTS = 30;

describe('a NATS cluster of three servers', () => {
  let servers: NatsServer[];
  let traffic: ChainTraffic;
  const connections: NatsConnection[] = [];
  const connect = async (): Promise<NatsConnection> => {
    const made = await connectNats(servers.map(({ url }) => url).join(','), 'test');
    connections.push(made);
    return made;
  };
  const manager = (): Promise<JetStreamManager> => {
    const [first] = connections;
    assert.ok(first);
    return first.jetstreamManager({ timeout: 2_000, checkAPI: false });
  };
  /** The server that leads the chain's stream. */
  const leader = (): Promise<NatsServer> =>
    until(
      'the stream has a leader',
      async () => {
        const info = await (await manager()).streams.info(STREAM).catch(() => undefined);
        return servers.find(({ name }) => name === info?.cluster?.leader);
      },
      WAIT_MS_MAX,
    );
  const untilMoved = async (what: string): Promise<void> => {
    const wanted = Math.max(traffic.confirmed(), traffic.handled()) + EVENTS;
    const isMoved = (): true | undefined =>
      (traffic.confirmed() >= wanted && traffic.handled() >= wanted) || undefined;
    await until(what, isMoved, WAIT_MS_MAX);
  };
  const untilCurrent = (): Promise<true> =>
    until(
      'every replica has everything',
      async () => {
        const info = await (await manager()).streams.info(STREAM).catch(() => undefined);
        const replicas = info?.cluster?.replicas ?? [];
        return (
          (replicas.length === REPLICAS - 1 && replicas.every((one) => one.current)) || undefined
        );
      },
      WAIT_MS_MAX,
    );

  before(async () => {
    servers = await startNatsCluster(await loopbackHosts(['a', 'b', 'c']));
    const [writer, reader] = [await connect(), await connect()];
    // Servers that answer need a moment to find one another and elect who answers for JetStream.
    const ensured = () => ensureStreams(writer, [CHAIN_ID], REPLICAS).then(() => true as const);
    await until('streams', () => ensured().catch(() => undefined), WAIT_MS_MAX);
    traffic = startChainTraffic(writer, reader, CHAIN_ID);
    await untilMoved('traffic begins');
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all((servers ?? []).map((server) => server.stop()));
  });

  it('keeps every stream three times, leases included', async () => {
    const copies: number[] = [];
    for await (const { config } of (await manager()).streams.list())
      copies.push(config.num_replicas);
    assert.ok(copies.length > 0, 'there are streams');
    assert.deepEqual(
      copies,
      copies.map(() => REPLICAS),
    );
  });

  it('goes on when the server that leads the stream is killed', async () => {
    const killed = await leader();
    await killed.kill();
    await untilMoved('traffic after the kill');
    await killed.restart();
    await untilCurrent();
  });

  it('goes on when the server that leads the stream is frozen, and when it wakes up', async () => {
    const stopped = await leader();
    stopped.signal('SIGSTOP');
    try {
      await until(
        'another leads',
        async () => ((await leader()).name === stopped.name ? undefined : true),
        WAIT_MS_MAX,
      );
      await untilMoved('traffic while it is frozen');
    } finally {
      stopped.signal('SIGCONT');
    }
    await untilMoved('traffic after it woke up');
    await untilCurrent();
  });

  it('has lost nothing it confirmed, and holds nothing twice', () => traffic.stop());
});
