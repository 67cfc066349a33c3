import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type NatsConnection, NatsError } from 'nats';
import type { FinalizeEvent } from '../../shared/chain/chainEvent.ts';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { chainStream } from '../../shared/messages/subjects.ts';
import { consumeChain } from '../../shared/platform/chainConsumer.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { topicOf } from '../../shared/testing/evmData.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { type NatsHost, type NatsServer, startNatsCluster } from '../../shared/testing/services.ts';
import { readStream } from '../../shared/testing/stores.ts';
import { createChainPublisher } from './chainPublisher.ts';
import { createJetStreamChain } from './jetStreamChain.ts';

/** Approximate events per second: enough that every fault hits some in transit. */
const PAUSE_MS = 5;
const RETRY_MS = 200;
const READER = 'scorer';

/** Numbered events, published and read in the same way as by watcher and scorer. */
interface ChainTraffic {
  /** Highest number that the stream has confirmed. */
  confirmed(): number;
  /** Highest number up to which all were handled. */
  handled(): number;
  /** Ends it. @throws AssertionError if something was lost, duplicated or out of order. */
  stop(): Promise<void>;
}

const eventOf = (chainId: number, number: number): FinalizeEvent => ({
  kind: 'finalize',
  chainId,
  epoch: 0,
  block: { number, hash: topicOf(number) },
});

const numberOf = (event: object): number => (event as FinalizeEvent).block.number;

/** Numbers in the stream, in its order. */
const storedNumbers = async (
  connection: NatsConnection,
  chainId: number,
  from: number,
): Promise<number[]> => {
  const entries = await readStream(connection, chainStream(chainId), from);
  return entries.map(({ data }) => numberOf(decodeChainEvent(data)));
};

/** Starts traffic on a chain's empty stream. */
const startChainTraffic = (
  writer: NatsConnection,
  reader: NatsConnection,
  chainId: number,
): ChainTraffic => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const [clock, logger] = [systemClock, silentLogger];
  const stream = createJetStreamChain(writer, chainId);
  const publisher = createChainPublisher({ stream, clock, logger, signal });
  let confirmed = 0;
  let handled = 0;

  /** Continues after the stream's last message: the stream is the only record of the position. */
  const begin = async (): Promise<number> => {
    const { lastSeq } = await stream.info();
    const [last = 0] = lastSeq > 0 ? await storedNumbers(writer, chainId, lastSeq) : [];
    // A server that has not yet noticed another leader shows less: permanent losses are checked at the end.
    if (last < confirmed) throw new RetryableError(`${confirmed} confirmed, ${last} shown`);
    publisher.begin(lastSeq);
    return last + 1;
  };
  const publishAll = async (): Promise<void> => {
    let next: number | undefined;
    while (!signal.aborted) {
      try {
        next ??= await begin();
        await publisher.publish(eventOf(chainId, next));
        confirmed = next;
        next += 1;
        await clock.sleep(PAUSE_MS, signal);
      } catch (error) {
        const isPassing = error instanceof RetryableError || error instanceof NatsError;
        if (!isPassing) throw error;
        next = undefined;
        await clock.sleep(RETRY_MS, signal);
      }
    }
  };
  const handle = async (batch: readonly { event: object }[]): Promise<void> => {
    for (const number of batch.map(({ event }) => numberOf(event))) {
      assert.ok(number <= handled + 1, `${number} came after ${handled}`);
      handled = Math.max(handled, number);
    }
  };
  const parts = { connection: reader, chainId, reader: READER, clock, logger } as const;
  const running = Promise.all([publishAll(), consumeChain({ ...parts, handle }, signal)]);
  running.catch(() => undefined);
  return {
    confirmed: () => confirmed,
    handled: () => handled,
    stop: async () => {
      stopping.abort();
      await running;
      const numbers = await storedNumbers(writer, chainId, 1);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
        'one of each, in order',
      );
      assert.ok(numbers.length >= confirmed, 'all that was confirmed is there');
    },
  };
};

const INSIDE = 'TSD_IN_NAMESPACE';
const PREPARE = 'mount -t tmpfs tmpfs /run && mkdir /run/netns && ip link set lo up && exec "$@"';
const PORT = 6_222;

/** Whether this process has its own network namespace, created by `runInNamespace`. */
const isInNamespace = (): boolean => process.env[INSIDE] === '1';

/**
 * Runs a test file in its own network namespace, where hosts can be created without being root. @returns its exit
 * code and output
 */
const runInNamespace = (file: string): { code: number | null; output: string } => {
  const inner = [process.execPath, '--import', 'tsx', '--test', '--test-reporter=spec', file];
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-rnm', 'sh', '-c', PREPARE, 'sh', ...inner],
    // The runner's own variables would make the inner runner report to it.
    { encoding: 'utf8', env: { ...process.env, [INSIDE]: '1', NODE_TEST_CONTEXT: undefined } },
  );
  return { code: status, output: `${stdout}${stderr}` };
};

const ip = (...args: string[]): void => {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** A host on two networks: one for clients, and one between the servers. */
interface NetworkHost extends NatsHost {
  /** Disconnects the host from the other servers, or reconnects it. */
  setRoutes(isUp: boolean): void;
  /** The same for clients. */
  setClients(isUp: boolean): void;
}

const NETWORKS = { clients: '10.99.2', routes: '10.99.1' } as const;
const BRIDGES = { clients: 'br-clients', routes: 'br-routes' } as const;
const KINDS = ['clients', 'routes'] as const;

/** Creates hosts in network namespaces, joined by bridges. Only inside `runInNamespace`. */
const createNetworkHosts = (names: readonly string[]): NetworkHost[] => {
  for (const kind of KINDS) {
    ip('link', 'add', BRIDGES[kind], 'type', 'bridge');
    ip('link', 'set', BRIDGES[kind], 'up');
  }
  ip('addr', 'add', `${NETWORKS.clients}.254/24`, 'dev', BRIDGES.clients);
  return names.map((name, index) => {
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const kind of KINDS) {
      const outer = `${kind}-${name}`;
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', kind, 'netns', name);
      ip('link', 'set', outer, 'master', BRIDGES[kind], 'up');
      ip('-n', name, 'addr', 'add', `${NETWORKS[kind]}.${index + 1}/24`, 'dev', kind);
      ip('-n', name, 'link', 'set', kind, 'up');
    }
    const set = (kind: string, isUp: boolean): void =>
      ip('link', 'set', `${kind}-${name}`, isUp ? 'up' : 'down');
    return {
      name,
      address: `${NETWORKS.clients}.${index + 1}`,
      routeAddress: `${NETWORKS.routes}.${index + 1}`,
      routePort: PORT,
      run: ({ command, args, env }) => ({
        command: 'ip',
        args: ['netns', 'exec', name, command, ...args],
        env,
      }),
      setRoutes: (isUp) => set('routes', isUp),
      setClients: (isUp) => set('clients', isUp),
    };
  });
};

const CHAIN_ID = 1;
const STREAM = chainStream(CHAIN_ID);
const REPLICAS = 3;
const WAIT_MS_MAX = 120_000;
/** Events that must be delivered while a part of the network is down. */
const EVENTS = 30;
/** How often a starting watcher must find its position without one server, each within this time. */
const READINGS = 8;
const READING_MS_MAX = 20_000;
/** Short link failures, one after the other. */
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
  const leaderKnownTo = async (url: string): Promise<string | undefined> => {
    const connection = await connectNats(url, 'test');
    try {
      const jsm = await connection.jetstreamManager({ timeout: 2_000, checkAPI: false });
      return (await jsm.streams.info(STREAM)).cluster?.leader;
    } finally {
      await connection.close();
    }
  };
  /**
   * The leader of the chain's stream according to any server: the other clients may all be connected to one that is
   * cut off.
   */
  const leader = (not?: string): Promise<NetworkHost> =>
    until(
      'the stream has a leader',
      async () => {
        for (const { url } of servers) {
          const name = await leaderKnownTo(url).catch(() => undefined);
          const host = hosts.find((one) => one.name === name && one.name !== not);
          if (host) return host;
        }
        return undefined;
      },
      WAIT_MS_MAX,
    );
  const untilCurrent = (): Promise<true> =>
    until(
      'every replica has everything',
      async () => {
        const [first] = connections;
        assert.ok(first, 'somebody is connected');
        const jsm = await first.jetstreamManager({ timeout: 2_000, checkAPI: false });
        const info = await jsm.streams.info(STREAM).catch(() => undefined);
        const replicas = info?.cluster?.replicas ?? [];
        const areCurrent = replicas.every(({ current }) => current);
        return (replicas.length === REPLICAS - 1 && areCurrent) || undefined;
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

  it('goes on when the server that leads the stream is frozen, and when it wakes up', async () => {
    const { name } = await leader();
    const stopped = servers.find((server) => server.name === name);
    assert.ok(stopped, 'the leader is one of the servers');
    stopped.signal('SIGSTOP');
    try {
      await leader(name);
      await untilMoved('traffic while it is frozen');
      const chain = createJetStreamChain(await connect(), CHAIN_ID);
      const read = () => chain.headersFrom(1).then(() => true as const);
      for (let i = 0; i < READINGS; i += 1) {
        await until(
          'a position is found again',
          () => read().catch(() => undefined),
          READING_MS_MAX,
        );
      }
    } finally {
      stopped.signal('SIGCONT');
    }
    await untilMoved('traffic after it woke up');
    await untilCurrent();
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

  it('has lost nothing it confirmed, and holds nothing twice', async () => {
    await untilCurrent();
    await traffic.stop();
  });
};

if (isInNamespace()) describe('a NATS cluster in network namespaces', proof);
else {
  it('a NATS cluster in network namespaces survives partitions and losses', (context) => {
    const { code, output } = runInNamespace(fileURLToPath(import.meta.url));
    context.diagnostic(output);
    assert.equal(code, 0, output);
  });
}
