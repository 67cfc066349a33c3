import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A statement that each connection prepares once under its name. */
interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Rows {
  readonly rows: unknown[];
}

/** What is used of `pg`, which has no types here. */
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
    /** Most connections at once. */
    max: number;
    /** Settings of each session. */
    options: string;
  }) => { query(statement: Prepared): Promise<Rows> };
}

/** @param packages folder in which npm has installed `pg` */
export const loadPg = (packages: string): PgModule =>
  createRequire(join(packages, 'package.json'))('pg') as PgModule;
