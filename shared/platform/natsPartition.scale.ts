import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NatsConnection } from 'nats';
import { chainStream } from '../messages/subjects.ts';
import { type ChainTraffic, startChainTraffic } from '../testing/chainTraffic.ts';
import {
  createNetworkHosts,
  isInNamespace,
  type NetworkHost,
  runInNamespace,
} from '../testing/networkHosts.ts';
import { until } from '../testing/pipelineProcess.ts';
import { type NatsServer, startNatsCluster } from '../testing/services.ts';
import { connectNats, ensureStreams } from './nats.ts';

const CHAIN_ID = 1;
const STREAM = chainStream(CHAIN_ID);
const REPLICAS = 3;
const WAIT_MS_MAX = 120_000;
/** Events that have to get through while a part of the network is away. */
const EVENTS = 30;
/** Short losses of a link, one after the other. */
const FLAPS = 30;
const FLAP_MS = 100;

const proof = (): void => {
  let hosts: NetworkHost[];
  let servers: NatsServer[];
  let traffic: ChainTraffic;
  const connections: NatsConnection[] = [];
  const connect = async (): Promise<NatsConnection> => {
    const made = await connectNats(servers.map(({ url }) => url).join(','), 'test');
    connections.push(made);
    return made;
  };
  /** The server that leads the chain's stream, as anyone who answers says. */
  const leader = (not?: string): Promise<NetworkHost> =>
    until(
      'the stream has a leader',
      async () => {
        for (const connection of connections) {
          const jsm = await connection
            .jetstreamManager({ timeout: 2_000, checkAPI: false })
            .catch(() => undefined);
          const info = await jsm?.streams.info(STREAM).catch(() => undefined);
          const name = info?.cluster?.leader;
          const host = hosts.find((one) => one.name === name && one.name !== not);
          if (host) return host;
        }
        return undefined;
      },
      WAIT_MS_MAX,
    );
  const untilMoved = async (what: string): Promise<void> => {
    const wanted = Math.max(traffic.confirmed(), traffic.handled()) + EVENTS;
    const isMoved = (): true | undefined =>
      (traffic.confirmed() >= wanted && traffic.handled() >= wanted) || undefined;
    await until(what, isMoved, WAIT_MS_MAX);
  };

  before(async () => {
    hosts = createNetworkHosts(['a', 'b', 'c']);
    servers = await startNatsCluster(hosts);
    const [writer, reader] = [await connect(), await connect()];
    const ensured = () => ensureStreams(writer, [CHAIN_ID], REPLICAS).then(() => true as const);
    await until('streams', () => ensured().catch(() => undefined), WAIT_MS_MAX);
    traffic = startChainTraffic(writer, reader, CHAIN_ID);
    await untilMoved('traffic begins');
  });
  after(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await Promise.all((servers ?? []).map((server) => server.stop()));
  });

  it('goes on while the leader of the stream is cut off from the other servers', async () => {
    const cut = await leader();
    cut.setRoutes(false);
    await leader(cut.name);
    cut.setClients(false);
    await untilMoved('traffic on the side of the majority');
    cut.setRoutes(true);
    cut.setClients(true);
    await untilMoved('traffic after the partition');
  });

  it('waits while no majority is left, and goes on when one is back', async () => {
    for (const host of hosts) host.setRoutes(false);
    const confirmed = traffic.confirmed();
    await sleep(5_000);
    assert.ok(
      traffic.confirmed() <= confirmed + EVENTS,
      'nothing is confirmed by one server alone',
    );
    for (const host of hosts) host.setRoutes(true);
    await untilMoved('traffic after all were apart');
  });

  it('goes on over links that lose packets', async () => {
    for (let i = 0; i < FLAPS; i += 1) {
      const host = hosts[i % hosts.length];
      host?.setRoutes(false);
      await sleep(FLAP_MS);
      host?.setRoutes(true);
      await sleep(FLAP_MS);
    }
    await untilMoved('traffic after the losses');
  });

  it('has lost nothing it confirmed, and holds nothing twice', () => traffic.stop());
};

if (isInNamespace()) describe('a NATS cluster in network namespaces', proof);
else {
  it('a NATS cluster in network namespaces stands partitions and losses', (context) => {
    const { code, output } = runInNamespace(fileURLToPath(import.meta.url));
    context.diagnostic(output);
    assert.equal(code, 0, output);
  });
}
