import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import { DEVNET_PRICING } from '../../shared/testing/devnet/devnetAddresses.ts';
import { type Resource, readKustomization, readResources } from '../kubernetesManifests.ts';
import { DEVNET_CHAIN_ID } from '../local/environment.ts';
import { runCommand } from '../local/runCommand.ts';
import { PROJECT, untilContainerReady } from './composeStack.ts';
import { podman } from './machine.ts';

// The manifests as `podman play kube` reads them: one pod per workload, on the networks of the compose project.

const SECRET = 'token-scam-detection';
const READY_TIMEOUT_MS = 180_000;
const PLAY_TIMEOUT_MS = 120_000;

/** What podman 4.3 ignores or interprets differently in the manifests, with its meaning in Kubernetes. */
const NOT_READ: readonly string[] = [
  'Namespace, NetworkPolicy, Service, PodDisruptionBudget, HorizontalPodAutoscaler: no objects of podman',
  'Job: no object of podman; its pod is started as a Pod',
  'kustomization.yaml: the name of the image is put in by the test; namespace and labels are left out',
  'ports: would be ports of this machine, the same for all pods; taken out, probes name them by number',
  'Secret: made by podman, which does not decode the one of a manifest; items: a pod sees all keys of the secret',
  'strategy, topologySpreadConstraints, resources.requests: no scheduler',
  'readinessProbe, startupProbe: not run; /readyz is asked by the test',
  'livenessProbe: needs timers of systemd, which are not here',
  'runAsNonRoot, fsGroup, seccompProfile, automountServiceAccountToken: passed over',
];

const podOwnerSchema = z.object({ spec: z.object({ template: z.record(z.unknown()) }) });
const replicasSchema = z.object({ spec: z.object({ replicas: z.number() }) });
const portSchema = z.object({ name: z.string(), containerPort: z.number() });

/** A workload without ports of its own: those of podman are ports of the machine. */
const withoutPorts = (resource: Resource): Resource => {
  const text = JSON.stringify(resource);
  const lists = [...text.matchAll(/"ports":(\[[^\]]*\]),?/g)];
  const ports = lists.flatMap(([, list = '[]']) => z.array(portSchema).parse(JSON.parse(list)));
  let bare = lists.reduce((rest, [list]) => rest.replace(list, ''), text);
  for (const { name, containerPort } of ports) {
    bare = bare.replaceAll(`"port":"${name}"`, `"port":${containerPort}`);
  }
  return JSON.parse(bare) as Resource;
};

/** What an operator edits: the settings of this chain. */
const withSettings = (resource: Resource): Resource => ({
  ...resource,
  data: {
    ...z.record(z.string()).parse(resource['data']),
    CHAIN_ID: String(DEVNET_CHAIN_ID),
    ...DEVNET_PRICING,
  },
});

/** The equivalent of `kubectl create secret`, in the form in which podman 4.3 mounts it: it decodes nothing. */
const createSecret = async (secretsDir: string, workDir: string): Promise<void> => {
  const file = join(workDir, 'secret.yaml');
  const data = Object.fromEntries(
    readdirSync(secretsDir).map((name) => [name, readFileSync(join(secretsDir, name), 'utf8')]),
  );
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: SECRET }, data };
  writeFileSync(file, stringify(secret), { mode: 0o600 });
  await podman(['secret', 'create', SECRET, file]);
};

const podOfJob = (job: Resource): Resource => {
  const { template } = podOwnerSchema.parse(job).spec;
  return { apiVersion: 'v1', kind: 'Pod', ...template, metadata: job.metadata };
};

/** Copies of a Deployment, as podman names their containers. */
const copiesOf = (deployment: Resource): string[] => {
  const { replicas } = replicasSchema.parse(deployment).spec;
  const { name } = deployment.metadata;
  return Array.from({ length: replicas }, (_, i) => `${name}-pod-${i}-${name}`);
};

/** Container properties in the manifests that podman must have applied. */
const assertConfined = async (container: string): Promise<void> => {
  const format =
    '{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}} {{.HostConfig.SecurityOpt}}';
  const text = (await podman(['inspect', '--format', format, container])).trim();
  assert.equal(text, '10001:10001 true [] [no-new-privileges]', container);
};

const podOf = (container: string): string => container.slice(0, container.lastIndexOf('-'));

/** Removes the pods and the secret. */
export const removePods = async (): Promise<void> => {
  const options = { timeoutMs: PLAY_TIMEOUT_MS };
  for (const resource of readResources()) {
    const { kind, metadata } = resource;
    const pods = kind === 'Deployment' ? copiesOf(resource).map(podOf) : [];
    if (kind === 'Job') pods.push(metadata.name);
    for (const pod of pods) await runCommand('podman', ['pod', 'rm', '-f', pod], options);
  }
  await runCommand('podman', ['secret', 'rm', SECRET], options);
  // A secret is mounted as a volume of its name.
  await runCommand('podman', ['volume', 'rm', '-f', SECRET], options);
};

/** Starts what podman can start of the manifests. Resolves when the pods of all roles are ready. */
export const playKubernetes = async (
  { secretsDir, workDir, image }: { secretsDir: string; workDir: string; image: string },
  report: (line: string) => void,
): Promise<void> => {
  for (const line of NOT_READ) report(`not read: ${line}`);
  const resources = readResources();
  const [renamed] = readKustomization().images;
  const tag = `localhost/${renamed?.newName}:${renamed?.newTag}`;
  await podman(['tag', image, tag]);
  mkdirSync(workDir, { recursive: true, mode: 0o700 });

  const play = async (name: string, parts: readonly Resource[]): Promise<void> => {
    const file = join(workDir, `${name}.yaml`);
    const text = parts.map((part) => stringify(part)).join('---\n');
    writeFileSync(file, text.replaceAll(`image: ${renamed?.name}\n`, `image: ${tag}\n`), {
      mode: 0o600,
    });
    const networks = ['backend', 'outside'].flatMap((one) => ['--network', `${PROJECT}_${one}`]);
    await podman(['play', 'kube', ...networks, file], PLAY_TIMEOUT_MS);
  };
  const config = resources.filter(({ kind }) => kind === 'ConfigMap').map(withSettings);
  await createSecret(secretsDir, workDir);
  for (const job of resources.filter(({ kind }) => kind === 'Job')) {
    await play(job.metadata.name, [...config, podOfJob(job)]);
  }
  for (const deployment of resources.filter(({ kind }) => kind === 'Deployment')) {
    const { name } = deployment.metadata;
    await play(name, [...config, withoutPorts(deployment)]);
    for (const container of copiesOf(deployment)) {
      await untilContainerReady(container, container, READY_TIMEOUT_MS);
      await assertConfined(container);
    }
    report(`pods of ${name} are ready`);
  }
};
