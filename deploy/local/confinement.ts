import { existsSync, statSync } from 'node:fs';
import { runCommand } from './runCommand.ts';
import { type Binary, setpriv } from './serverBinaries.ts';

// Landlock, the kernel's own sandbox: what is not allowed here no code of the process opens, whoever runs it, and
// nothing it starts. It needs no privileges, keeps the process id, and cannot be taken off again.

/** What a process may open: whole folders or single files. Everything else of the file system is closed to it. */
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
/** What only devices and sockets need: never allowed. */
const NEVER = ['make-char', 'make-sock', 'make-fifo', 'make-block'];
/** All that Landlock controls since Linux 5.19. */
const CONTROLLED = `fs:${[...READ, ...CHANGE, ...NEVER].join(',')}`;

/** What programs need of the system to start and to see how much memory and how many cores there are. */
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

/** Throws where the kernel cannot confine, with what to do. */
const assertConfines = async ({ path, args, env }: Binary): Promise<void> => {
  // Moves between folders are the newest of what is controlled.
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

/** The start of a command line under which a program reaches this much of the file system. Throws with advice. */
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
