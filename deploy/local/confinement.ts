import { existsSync, statSync } from 'node:fs';
import { runCommand } from './runCommand.ts';
import { type Binary, setpriv } from './serverBinaries.ts';

// Landlock, the kernel's sandbox: files that are not allowed here cannot be opened by the process or its children,
// whoever runs them. It needs no privileges, keeps the process id, and cannot be removed again.

/** What a process may open: whole folders or single files. The rest of the file system is inaccessible. */
export type Reach = {
  /** To read, list and run. */
  read: readonly string[];
  /** To read and write, with all that is in it. */
  write: readonly string[];
};

const FILE_READ = ['execute', 'read-file'];
const READ = [...FILE_READ, 'read-dir'];
const CHANGE = [
  'write-file',
  'remove-dir',
  'remove-file',
  'make-dir',
  'make-reg',
  'make-sym',
  'refer',
];
/** Rights that only devices and sockets need: never allowed. */
const NEVER = ['make-char', 'make-sock', 'make-fifo', 'make-block'];
/** Everything that Landlock controls since Linux 5.19. */
const CONTROLLED = `fs:${[...READ, ...CHANGE, ...NEVER].join(',')}`;

/** Files that programs need to start, and to see the amount of memory and the number of cores. */
const SYSTEM = [
  '/lib',
  '/lib64',
  '/usr/lib',
  '/usr/lib64',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/usr/share/zoneinfo',
  '/dev/null',
  '/dev/urandom',
  '/proc/meminfo',

  '/proc/self/auxv',
  '/proc/self/cgroup',
  '/proc/self/statm',
  '/sys/devices/system',
  '/sys/fs/cgroup',
];
const PROBE_TIMEOUT_MS = 10_000;

const rule = (accesses: readonly string[], path: string): string[] => [
  '--landlock-rule',
  `path-beneath:${accesses.join(',')}:${path}`,
];

const readRule = (path: string): string[] =>
  rule(statSync(path).isDirectory() ? READ : FILE_READ, path);

/** Throws with advice if the kernel does not support it. */
const assertConfines = async ({ path, args, env }: Binary): Promise<void> => {
  // Moving files between folders is the latest addition to the controlled rights.
  const probe = [...args, '--no-new-privs', '--landlock-access', 'fs:refer', '--', 'true'];
  const result = await runCommand(path, probe, {
    timeoutMs: PROBE_TIMEOUT_MS,
    env: { ...process.env, ...env },
  });
  if (result.code === 0) return;
  throw new Error(
    `ClickHouse is not started, for this machine cannot confine it: ${result.stderr.trim()}\n` +
      'Linux 5.19 or newer with Landlock is needed (kernel parameter lsm=landlock,…). To go on without, run a ' +
      'ClickHouse server of your own and give CLICKHOUSE_URL.',
  );
};

/** The prefix of a command line that confines a program to these files. Throws with advice. */
export const confine = async ({ read, write }: Reach): Promise<Binary> => {
  const binary = await setpriv();
  await assertConfines(binary);
  const readable = [...SYSTEM.filter(existsSync), process.execPath, ...read];
  return {
    ...binary,
    args: [
      ...binary.args,
      '--no-new-privs',
      '--landlock-access',
      CONTROLLED,
      ...readable.flatMap(readRule),
      ...write.flatMap((path) => rule([...READ, ...CHANGE], path)),
      '--',
    ],
  };
};
