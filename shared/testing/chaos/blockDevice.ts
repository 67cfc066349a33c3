import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../services.ts';

/**
 * A disk of its own for one server: ext4 on a loop device. Needs root. Its bytes are in a sparse file of
 * the temporary folder, which is what a power cut leaves.
 */
export interface BlockDevice {
  /** Where it is mounted. */
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Gives the space back. */
  free(): void;
  /**
   * From now on nothing reaches the device any more: what was not synced, or written back by chance, is lost,
   * and so is the journal that was not written out. Its users get errors; end them, then call `restorePower`.
   */
  cutPower(): void;
  /** Mounts what is on the device again, as a machine does that starts. */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

/** JetStream refuses to promise its streams more than the disk has. */
const BYTES = 8 * 1024 ** 3;
/** `EXT4_IOC_SHUTDOWN` and its flag `EXT4_GOING_FLAGS_NOLOGFLUSH`: Linux `fs/ext4/ext4.h`. */
const CUT =
  'open(my $f, "<", $ARGV[0]) or die $!; my $how = pack("L", 2); ioctl($f, 0x8004587d, $how) or die $!';
const PREFIX = 'tsd-device-';
const UNMOUNT_TRIES_MAX = 50;
const UNMOUNT_RETRY_MS = 100;
const BLOCK_BYTES = 4_096;

const run = (program: string, ...args: string[]): void => {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** Ended processes let go of their files a moment later. */
const unmount = async (folder: string): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return run('umount', folder);
    } catch (error) {
      if (tries === UNMOUNT_TRIES_MAX) throw error;
      await sleep(UNMOUNT_RETRY_MS);
    }
  }
};

/** Writes single blocks until there is no room for one. */
const fillBlocks = (file: string): void => {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (;;) {
    try {
      appendFileSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
};

/** Removes devices of processes that ended before they could. */
const removeAbandoned = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX)
      ? Number(name.slice(PREFIX.length).split('-')[0])
      : Number.NaN;
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    const home = join(tmpdir(), name);
    await unmount(join(home, 'mount')).catch(() => undefined);
    rmSync(home, { recursive: true, force: true });
  }
};

/** Makes and mounts a device. */
export const createBlockDevice = async (): Promise<BlockDevice> => {
  await removeAbandoned();
  const home = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const [image, folder] = [join(home, 'device'), join(home, 'mount')];
  writeFileSync(image, '');
  truncateSync(image, BYTES);
  mkdirSync(folder);
  run('mkfs.ext4', '-q', '-m', '0', image);
  const mount = (): void => run('mount', '-o', 'loop', image, folder);
  mount();
  const fillers = [join(folder, 'filler'), join(folder, 'filler-blocks')] as const;
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder);
      run('fallocate', '-l', String(Math.floor(bavail * bsize * 0.999)), fillers[0]);
      fillBlocks(fillers[1]);
    },
    free: () => {
      for (const filler of fillers) rmSync(filler, { force: true });
    },
    cutPower: () => run('perl', '-e', CUT, folder),
    restorePower: async () => {
      await unmount(folder);
      mount();
    },
    remove: async () => {
      await unmount(folder);
      rmSync(home, { recursive: true, force: true });
    },
  };
};
