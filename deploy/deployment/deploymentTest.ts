import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { startBalancer } from '../../api/testing/startBalancer.ts';
import { underLoad } from '../../api/testing/underLoad.ts';
import { createDevnet, type Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { composeStores } from '../backup/composeStores.ts';
import { writeSecrets } from '../createSecrets.ts';
import { type ComposeStack, createComposeStack, DEVNET_URL, PROJECT } from './composeStack.ts';
import {
  APP_IMAGE,
  assertImage,
  buildAppImage,
  buildServerImages,
  removeImages,
} from './images.ts';
import { playKubernetes, removePods } from './kubernetes.ts';
import { isKept, podman, prepareMachine, run } from './machine.ts';
import { type Access, compareWithChain, openWebhook, playDemo } from './played.ts';

// Builds the image and starts the deployment as an operator would, on this machine: `make deployment-test`, as root.

/** Time limit of the whole test, including the first build of every image. */
const TIMEOUT_MS = 60 * 60_000;
const EXIT_FAILURE = 1;
const RESTART_TIMEOUT_MS = 60_000;
const BACKUP_TIMEOUT_MS = 300_000;
const SCRAPE_TIMEOUT_MS = 90_000;
const ACTS_DURING_KILL = 3;
/** A pro key may ask 1,000 times a minute: six clients stay below. */
const PAUSE_MS = 400;

const upSchema = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.object({ job: z.string() }), value: z.tuple([z.number(), z.string()]) }),
    ),
  }),
});

const startMs = Date.now();
const say = (text: string): void => {
  const seconds = ((Date.now() - startMs) / 1_000).toFixed(0).padStart(5);
  console.log(`[${seconds} s] ${text}`);
};

/** State shared by the stages. */
interface Deployment {
  readonly stack: ComposeStack;
  readonly folder: string;
  readonly secretsDir: string;
  readonly ports: readonly [number, number];
}

/** Runs a stage and reports how long it took. */
const stage = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const begunMs = Date.now();
  say(`== ${name}`);
  const result = await work();
  say(`ok ${name}: ${((Date.now() - begunMs) / 1_000).toFixed(0)} s`);
  return result;
};

const storesOf = ({ secretsDir }: Deployment) =>
  composeStores({ engine: 'podman', project: PROJECT, secretsDir });

const urlOf = ({ ports }: Deployment): string => `http://127.0.0.1:${ports[0]}`;

const start = async ({ stack }: Deployment): Promise<void> => {
  await stack.start(stack.servers);
  for (const name of stack.servers) await stack.untilHealthy(name);
  await stack.start(['migrate', ...stack.roles]);
  for (const name of stack.roles) await stack.untilHealthy(name);
};

/** By the command of DEPLOY.md. */
const createKey = async ({ stack }: Deployment): Promise<string> => {
  const args = ['exec', '-T', 'api', 'node', 'dist/api/accounts/createKey.js', '--tier', 'pro'];
  return (await stack.compose(args)).trim().split('\n').at(-1) ?? '';
};

/** Actions on the chain one after another, so that there is something to lose. */
const live = async (devnet: Devnet, acts: number): Promise<void> => {
  const name = randomUUID().slice(0, 8);
  const token = await devnet.deployToken('ruggable', { creator: 0, name, symbol: 'LIFE' });
  await devnet.addLiquidity(token, 5);
  for (let act = 0; act < acts; act += 1) await devnet.buy(token.address, 1 + (act % 5), 0.1);
};

/** Kills the first process of a container, like an out-of-memory kill; its restart policy restarts it. */
const kill = async ({ stack }: Deployment, service: string): Promise<void> => {
  const format = '{{.State.Pid}} {{.RestartCount}}';
  const inspect = async (): Promise<number[]> =>
    (await podman(['inspect', '--format', format, stack.container(service)]))
      .split(' ')
      .map(Number);
  const [pid = 0, restarts = 0] = await inspect();
  assert.ok(pid > 1, `${service} does not run`);
  process.kill(pid, 'SIGKILL');
  const isBack = async (): Promise<true | undefined> => {
    const [nextPid = 0, count = 0] = await inspect();
    return (count > restarts && nextPid > 1) || undefined;
  };
  await until(`${service} is started again`, isBack, RESTART_TIMEOUT_MS);
};

const killAll = async (deployment: Deployment, devnet: Devnet): Promise<void> => {
  const { stack } = deployment;
  for (const service of stack.services) {
    const begunMs = Date.now();
    const living = live(devnet, ACTS_DURING_KILL);
    await kill(deployment, service);
    await stack.untilHealthy(service);
    if (stack.roles.includes(service)) await stack.untilReady(service);
    say(`${service} was killed and answers again after ${Date.now() - begunMs} ms`);
    await living;
  }
  const { logs } = await compareWithChain(await storesOf(deployment), devnet);
  say(`${logs} logs of the chain, none lost, none double`);
};

const rollAll = async (deployment: Deployment, devnet: Devnet, key: string): Promise<void> => {
  const { stack, ports } = deployment;
  const balancer = await startBalancer(ports);
  try {
    const load = await underLoad({ url: balancer.url, key, pauseMs: PAUSE_MS }, async () => {
      for (const role of stack.roles) {
        await stack.compose(['restart', role]);
        await stack.untilReady(role);
        await live(devnet, 1);
        say(`${role} is restarted`);
      }
    });
    say(`${load.requests} requests, ${load.writes} of them writes, ${load.failures.length} failed`);
    assert.deepEqual(load.failures, []);
    assert.ok(
      ports.every((port) => (balancer.answered()[port] ?? 0) > 0),
      'both copies answered',
    );
  } finally {
    balancer.close();
  }
  await compareWithChain(await storesOf(deployment), devnet);
};

/** `make compose-backup` and `make compose-restore`. */
const backUp = (command: 'backup' | 'restore', { folder, secretsDir }: Deployment) => {
  const to = join(folder, 'backup');
  const env = { ENGINE: 'podman', PROJECT, SECRETS_DIR: secretsDir, TO: to, FROM: to };
  const argv = ['--import', 'tsx', 'deploy/backup/composeBackup.ts', command];
  return run(process.execPath, argv, { timeoutMs: BACKUP_TIMEOUT_MS, env });
};

/** Everything is lost except the chain, the secrets and the backup. */
const loseAndRestore = async (deployment: Deployment, devnet: Devnet): Promise<void> => {
  const { stack } = deployment;
  say((await backUp('backup', deployment)).trim());
  await live(devnet, 3);
  const before = await compareWithChain(await storesOf(deployment), devnet);
  await stack.removeServices();
  await stack.create();
  await stack.start(stack.servers);
  for (const name of stack.servers) await stack.untilHealthy(name);
  say((await backUp('restore', deployment)).trim());
  await stack.start(['migrate', ...stack.roles]);
  for (const name of stack.roles) await stack.untilReady(name);
  const after = await compareWithChain(await storesOf(deployment), devnet);
  assert.deepEqual(after, before);
  say(`${after.logs} logs and ${after.verdicts.length} verdicts as before the loss`);
};

const runStages = async (deployment: Deployment): Promise<void> => {
  const { stack, secretsDir, folder } = deployment;
  await stage('compose starts: servers, tables, roles', async () => {
    await stack.create();
    await start(deployment);
  });
  const devnetUrl = await stack.startDevnet();
  const devnet = await createDevnet({ url: devnetUrl });
  const key = await createKey(deployment);
  const access: Access = { baseUrl: urlOf(deployment), key };
  await stage('verdicts, an alert, a ring, a webhook', async () => {
    const webhook = await openWebhook(access, await stack.gatewayOf('outside'));
    try {
      const { text, pulled } = await playDemo(devnet, access, await storesOf(deployment));
      await webhook.untilPullDelivered(pulled);
      console.log(`${text}\n`);
      say('the alert arrived by webhook, signed');
    } finally {
      webhook.close();
    }
  });
  await stage('Prometheus sees every role', () => assertScraped(stack));
  await stage('every container is killed', () => killAll(deployment, devnet));
  await stage('every role is restarted under load', () => rollAll(deployment, devnet, key));
  await stage('backup, loss of all volumes, restore', () => loseAndRestore(deployment, devnet));
  await stage('the pods of Kubernetes', async () => {
    await stack.compose(['stop', ...stack.roles]);
    await playKubernetes({ secretsDir, workDir: join(folder, 'pods'), image: APP_IMAGE }, say);
    await live(devnet, 2);
    const { logs } = await compareWithChain(await storesOf(deployment), devnet);
    say(`${logs} logs of the chain, read by the pods`);
    await removePods();
    await stack.start(stack.roles);
    for (const role of stack.roles) await stack.untilReady(role);
  });
};

/** Every role is a target that answers, the second copy of the API too. */
const assertScraped = async (stack: ComposeStack): Promise<void> => {
  const address = await stack.addressOf(stack.container('prometheus'), 'backend');
  const wanted = stack.roles.map((role) => role.replace('api-2', 'api')).toSorted();
  const isSeen = async (): Promise<true | undefined> => {
    const response = await fetch(`http://${address}:9090/api/v1/query?query=up`);
    const { data } = upSchema.parse(await response.json());
    const up = data.result.filter(({ value }) => value[1] === '1').map(({ metric }) => metric.job);
    return isDeepStrictEqual(up.toSorted(), wanted) || undefined;
  };
  await until(`targets ${wanted.join(', ')}`, isSeen, SCRAPE_TIMEOUT_MS);
};

const main = async (): Promise<void> => {
  const command = await stage('programs of this machine', () => prepareMachine(say));
  const folder = mkdtempSync(join(tmpdir(), 'tsd-deployment-'));
  const secretsDir = join(folder, 'secrets');
  writeSecrets(secretsDir, DEVNET_URL);
  const ports = [await freePort(), await freePort()] as const;
  const stack = createComposeStack(command, { secretsDir, ports });
  const cleanUp = async (): Promise<void> => {
    await removePods();
    await stack.remove();
  };
  await cleanUp();
  try {
    await stage('images of the servers', buildServerImages);
    await stage('the image of the service', async () => {
      say(`${Math.round((await buildAppImage()) / 1e6)} MB`);
      await assertImage();
    });
    await runStages({ stack, folder, secretsDir, ports });
    say('the deployment works');
  } finally {
    if (isKept()) say(`kept: project ${PROJECT}, ${folder}; API at http://127.0.0.1:${ports[0]}`);
    else {
      await cleanUp();
      await removeImages();
      rmSync(folder, { recursive: true, force: true });
    }
  }
};

const overdue = setTimeout(() => {
  console.error(`longer than ${TIMEOUT_MS / 60_000} minutes`);
  process.exit(EXIT_FAILURE);
}, TIMEOUT_MS);
try {
  await main();
} catch (error) {
  console.error(error);
  process.exitCode = EXIT_FAILURE;
} finally {
  clearTimeout(overdue);
}
