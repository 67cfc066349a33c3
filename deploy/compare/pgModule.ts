import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { runCommand } from '../local/runCommand.ts';

const PG = 'pg@8.23.1';
const INSTALL_TIMEOUT_MS = 300_000;

/** A statement that each connection prepares once, with its name. */
interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Rows {
  readonly rows: unknown[];
}

/** The used parts of `pg`, which has no types here. */
interface PgModule {
  readonly Client: new (options: {
    connectionString: string;
  }) => {
    connect(): Promise<void>;
    query(sql: string, values?: readonly unknown[]): Promise<Rows>;
    on(event: 'error', listener: () => void): void;
    end(): Promise<void>;
  };
  readonly Pool: new (options: {
    connectionString: string;
    /** Maximum connections. */
    max: number;
    /** Settings of each session. */
    options: string;
  }) => { query(statement: Prepared): Promise<Rows> };
}

/** Installs `pg` from npm, without install scripts. @returns the folder in which it is */
export const installPg = async (): Promise<string> => {
  const folder = join(projectRoot(), '.local/compare');
  mkdirSync(folder, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const args = ['install', '--prefix', folder, ...flags, PG];
  const { code, stderr } = await runCommand('npm', args, { timeoutMs: INSTALL_TIMEOUT_MS });
  if (code !== 0) throw new Error(`${PG} was not installed\n${stderr}`);
  return folder;
};

/** @param packages folder in which npm has installed `pg` */
export const loadPg = (packages: string): PgModule =>
  createRequire(join(packages, 'package.json'))('pg') as PgModule;
