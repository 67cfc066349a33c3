import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';

/** A program of others, installed from npm. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /** Where its packages and its project are. */
  readonly folder: string;
}

/** What is installed of a peer, and where our files go in its project. */
interface Plan {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly type: 'module' | 'commonjs';
  readonly files: Readonly<Record<string, string>>;
}

const INSTALL_TIMEOUT_MS = 300_000;

/** The newest that Node 20 runs: 0.17 needs Node 22; 1.0.0, the tag `latest`, holds older code. */
const PONDER: Plan = {
  name: 'Ponder',
  packages: {
    ponder: '0.16.10',
    viem: '2.57.1',
    hono: '4.13.19',
    typescript: '5.9.3',
    pg: '8.23.1',
  },
  type: 'module',
  files: {
    'ponder.config.mjs': 'ponder.config.ts',
    'ponder.schema.mjs': 'ponder.schema.ts',
    'index.mjs': 'src/index.ts',
    'api.mjs': 'src/api/index.ts',
  },
};

/** typeorm-store 1.9.2 asks for a typeorm-config that the registry does not have. */
const SQD: Plan = {
  name: 'SQD',
  packages: {
    '@subsquid/evm-processor': '1.27.3',
    '@subsquid/typeorm-store': '1.5.1',
    '@subsquid/typeorm-config': '4.1.1',
    '@subsquid/evm-abi': '0.3.1',
    '@subsquid/evm-codec': '0.3.0',
    '@subsquid/big-decimal': '1.0.0',
    typeorm: '0.3.28',
    pg: '8.23.1',
  },
  type: 'commonjs',
  files: { 'main.cjs': 'main.js', 'model.cjs': 'lib/model/index.js' },
};

/** The client alone, for reads of PostgreSQL. */
const PG: Plan = { name: 'pg', packages: { pg: '8.23.1' }, type: 'module', files: {} };

/** Installs a peer where it is not, without install scripts, and puts our files in its project. */
const install = async ({ name, packages, type, files }: Plan): Promise<Peer> => {
  const id = name.toLowerCase();
  const list = Object.entries(packages).map(([one, version]) => `${one}@${version}`);
  const folder = join(projectRoot(), '.local/compare', id);
  const mark = join(folder, `installed-${list.join('-').replaceAll(/[/@]/g, '_')}`);
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const args = ['install', ...flags, '--save-exact', ...list];
    const run = await runCommand('npm', args, { timeoutMs: INSTALL_TIMEOUT_MS, cwd: folder });
    if (run.code !== 0) throw new Error(`${name} was not installed\n${run.stderr}`);
    writeFileSync(mark, '');
  }
  for (const [from, to] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(join(projectRoot(), 'deploy/compare', id, from), join(folder, to));
  }
  return { name, version: list[0]?.replace(/^.*@/, '') ?? '', folder };
};

export const installPonder = (): Promise<Peer> => install(PONDER);
export const installSqd = (): Promise<Peer> => install(SQD);
export const installPg = (): Promise<Peer> => install(PG);
