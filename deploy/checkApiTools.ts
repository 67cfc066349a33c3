import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { runCommand } from './local/runCommand.ts';

// Runs generators of clients that others wrote, and schemathesis, against a running API: make api-tools API_KEY=…
// They come from PyPI and npm into .local, at these versions, and are no part of the service or of its tests.

const PYTHON_TOOLS = ['openapi-python-client==0.29.1', 'ruff==0.14.5', 'schemathesis==4.32.5'];
const NPM_TOOLS = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
const INSTALL_TIMEOUT_MS = 300_000;
const GENERATE_TIMEOUT_MS = 120_000;
const FUZZ_TIMEOUT_MS = 900_000;
/** Of each operation and kind of test. */
const EXAMPLES_MAX = '8';
/**
 * What a schema of one request cannot say is not held against the API: that a cursor belongs to a list, that two
 * addresses differ, that a host resolves, that an Idempotency-Key is new.
 */
const UNSAYABLE = 'positive_data_acceptance';
/** They answer with streams, which are not one value of a schema. */
const STREAMS = '^/api/(ws|events)$';

const folder = join(projectRoot(), '.local/api-tools');
const bin = join(folder, 'bin');
const npmBin = join(folder, 'node_modules/.bin');
const url = process.env['API_URL'] || 'http://127.0.0.1:8080';
const document = `${url}/openapi.json`;
const key = process.env['API_KEY'];
if (!key) {
  console.error('give the key of a stack: make api-tools API_KEY=… [API_URL=…]');
  process.exit(1);
}

/** Runs a step; what it prints is shown where it fails or `isClean` does not hold. */
const run = async (
  name: string,
  [command = '', ...args]: readonly string[],
  timeoutMs: number,
  isClean: (output: string) => boolean = () => true,
): Promise<boolean> => {
  const path = [bin, npmBin, process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH: path };
  const { code, stdout, stderr } = await runCommand(command, args, { timeoutMs, cwd: folder, env });
  const isGood = code === 0 && isClean(stdout + stderr);
  console.log(`${name}: ${isGood ? 'clean' : 'failed'}`);
  if (!isGood) console.log((stdout + stderr).replaceAll(key, '<API_KEY>'));
  return isGood;
};

const install = async (): Promise<void> => {
  if (existsSync(join(folder, 'installed'))) return;
  mkdirSync(folder, { recursive: true });
  const pip = ['python3', '-m', 'pip', 'install', '--quiet', ...PYTHON_TOOLS];
  const npm = ['npm', 'install', '--prefix', folder, '--ignore-scripts', '--no-save', ...NPM_TOOLS];
  const steps: [string, string[]][] = [
    ['Python', ['python3', '-m', 'venv', folder]],
    ['tools from PyPI', pip],
    ['tools from npm', npm],
    ['installation', ['touch', join(folder, 'installed')]],
  ];
  for (const [name, command] of steps) {
    if (!(await run(name, command, INSTALL_TIMEOUT_MS))) process.exit(1);
  }
};

/** openapi-python-client knows no Parquet: a file is bytes to it. */
const GENERATOR_CONFIG = {
  content_type_overrides: { 'application/vnd.apache.parquet': 'application/octet-stream' },
};
const generatorConfig = join(folder, 'generator.json');

await install();
writeFileSync(generatorConfig, JSON.stringify(GENERATOR_CONFIG));
const results = [
  await run(
    'openapi-python-client',
    [
      'openapi-python-client',
      'generate',
      '--url',
      document,
      '--config',
      generatorConfig,
      '--meta',
      'none',
      '--overwrite',
      '--output-path',
      join(folder, 'generated_client'),
    ],
    GENERATE_TIMEOUT_MS,
    (output) => !/warning/i.test(output),
  ),
  await run(
    'its client in Python',
    ['python3', '-c', 'import generated_client.models, generated_client.client'],
    GENERATE_TIMEOUT_MS,
  ),
  await run(
    'openapi-typescript',
    ['openapi-typescript', document, '--output', join(folder, 'schema.ts')],
    GENERATE_TIMEOUT_MS,
  ),
  await run('its types', ['tsc', '--noEmit', '--strict', 'schema.ts'], GENERATE_TIMEOUT_MS),
  await run(
    'schemathesis',
    [
      'schemathesis',
      'run',
      document,
      '--header',
      `X-API-Key: ${key}`,
      '--no-color',
      '--phases',
      'examples,fuzzing',
      '--max-examples',
      EXAMPLES_MAX,
      '--workers',
      '2',
      '--exclude-path-regex',
      STREAMS,
      '--exclude-checks',
      UNSAYABLE,
      '--continue-on-failure',
      '--generation-deterministic',
      '--request-timeout',
      '20',
    ],
    FUZZ_TIMEOUT_MS,
  ),
];
if (!results.every(Boolean)) process.exitCode = 1;
