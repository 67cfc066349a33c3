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
import type { Redis } from 'ioredis';
import { StorageType } from 'nats';
import { z } from 'zod';
import { createReadMarks } from '../../../api/alerts/createAlerts.ts';
import { createAlertSettingsStore } from '../../../shared/families/alertSettingsStore.ts';
import { createWatchlistStore } from '../../../shared/families/watchlistStore.ts';
import {
  settingsChangedSchema,
  webhooksChangedSchema,
} from '../../../shared/messages/settingsMessage.ts';
import { type WatchItem, watchChangedSchema } from '../../../shared/messages/watchMessage.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { errorMessage } from '../../../shared/platform/errors.ts';
import { addressOf } from '../../../shared/testing/evmData.ts';
import { until } from '../../../shared/testing/pipelineProcess.ts';
import type { Random } from '../../../shared/testing/random.ts';
import { sampleWebhook } from '../../../shared/testing/samples.ts';
import { isAlive } from '../../../shared/testing/services.ts';
import { readStream, type Store } from '../../../shared/testing/stores.ts';
import { createWebhookStore } from '../../../shared/webhooks/webhookStore.ts';
import { type CrashStage, startCrashStage } from './crashStage.ts';
import { type LiveStack, STACK_WAIT_MS_MAX } from './liveStack.ts';

/** How a number is written and confirmed, and how all stored numbers are read. */
interface Ledger {
  prepare(): Promise<unknown>;
  write(number: number): Promise<unknown>;
  read(): Promise<ReadonlySet<number>>;
}

const FAMILY = /:([^:]+)\.(\d+)$/;

const familyOf = (name: string, number: number): string => `${name}.${number}`;
const numberOf = (family: string): number => Number(FAMILY.exec(`:${family}`)?.[2]);

/** Kinds of user data, each for a family of its own. */
const createWrites = (redis: Redis, name: string) => {
  const watchlists = createWatchlistStore(redis);
  const settings = createAlertSettingsStore(redis);
  const webhooks = createWebhookStore(redis, systemClock);
  const marks = createReadMarks(redis);
  const watch = async (number: number): Promise<void> => {
    const item: WatchItem = {
      family: familyOf(name, number),
      id: number,
      type: 'wallet',
      address: addressOf(number),
      alerts: ['rug_pull'],
      sensitivity: 'medium',
      createdAtMs: number,
    };
    const { kind } = await watchlists.add(item, 1);
    if (kind !== 'added') throw new Error(`the item ${number} is there already`);
  };
  const addWebhook = async (number: number): Promise<void> => {
    const isAdded = await webhooks.add(
      sampleWebhook({ family: familyOf(name, number), id: `wh_${number}`, status: 'paused' }),
      1,
    );
    if (!isAdded) throw new Error(`the webhook ${number} is there already`);
  };
  return [
    watch,
    addWebhook,
    (number: number) => settings.update(familyOf(name, number), () => ({ enabled: false })),
    (number: number) => marks.add(familyOf(name, number), { id: number, createdAtMs: number }, 0),
  ] as const;
};

const announcedFamily = (kind: string | undefined, message: string): string => {
  const change: unknown = JSON.parse(message);
  if (kind === 'watch') return watchChangedSchema.parse(change).item.family;
  if (kind === 'webhooks') return webhooksChangedSchema.parse(change).family;
  return settingsChangedSchema.parse(change).family;
};

/**
 * Numbers stored as user data of alternating kinds: a watchlist item, alert settings, a webhook, a read mark. A
 * number is stored if its record is, and its announcement too unless that was trimmed; read marks have none.
 */
const redisLedger = (redis: Redis, name: string): Ledger => {
  const writes = createWrites(redis, name);
  const announced = async (): Promise<number[]> =>
    (await redis.xrange('changes', '-', '+'))
      .map(([, [kind, message = '']]) => announcedFamily(kind, message))
      .filter((family) => FAMILY.exec(`:${family}`)?.[1] === name)
      .map(numberOf);
  return {
    prepare: async () => undefined,
    write: async (number) => writes[number % writes.length]?.(number),
    read: async () => {
      const keys = await redis.keys(`*:${name}.*`);
      const numbers = new Set(await announced());
      const first = [...numbers].reduce((least, number) => Math.min(least, number), Infinity);
      const isWhole = (key: string): boolean => {
        const number = numberOf(key);
        if (key.startsWith('alert-reads:')) return true;
        return numbers.has(number) || (number < first && numbers.size > 0);
      };
      return new Set(keys.filter(isWhole).map(numberOf));
    },
  };
};

/** JetStream refuses to reserve more for its streams than the disk has. */
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

/** Ended processes release their files a moment later. */
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

/** Writes single blocks until the disk is full. */
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

/** Creates and mounts a device. */
const createBlockDevice = async () => {
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
    /** Where the file system is mounted. */
    folder,
    /** Leaves no byte free. */
    fill: (): void => {
      const { bavail, bsize } = statfsSync(folder);
      run('fallocate', '-l', String(Math.floor(bavail * bsize * 0.999)), fillers[0]);
      fillBlocks(fillers[1]);
    },
    /** Gives the space back. */
    free: (): void => {
      for (const filler of fillers) rmSync(filler, { force: true });
    },
    /**
     * From now on nothing reaches the device: unsynced data is lost unless it was written back by chance, and so is
     * the unwritten journal. Its users get errors; end them, then call `restorePower`.
     */
    cutPower: (): void => run('perl', '-e', CUT, folder),
    /** Mounts the device again with its remaining content, like a starting machine. */
    restorePower: async (): Promise<void> => {
      await unmount(folder);
      mount();
    },
    remove: async (): Promise<void> => {
      await unmount(folder);
      rmSync(home, { recursive: true, force: true });
    },
  };
};
/**
 * A separate disk for one server: ext4 on a loop device. Needs root. Its bytes are in a sparse file in the temporary
 * folder, which is what remains after a power cut.
 */
type BlockDevice = Awaited<ReturnType<typeof createBlockDevice>>;

/** The stores, each on a separate disk. */
export const STORES = ['nats', 'redis', 'clickhouse'] as const satisfies readonly Store[];

/** A stage whose stores can be cut off from their disks. */
export interface DeviceStage extends CrashStage {
  readonly devices: Readonly<Record<Store, BlockDevice>>;
}

/** Creates the disks and starts the stage on them. Needs root. */
export const startStageOnDevices = async (random: Random): Promise<DeviceStage> => {
  const made: BlockDevice[] = [];
  const device = async (): Promise<BlockDevice> => {
    const next = await createBlockDevice();
    made.push(next);
    return next;
  };
  const removeAll = async (): Promise<void> => {
    for (const one of made) await one.remove();
  };
  try {
    const devices = { nats: await device(), redis: await device(), clickhouse: await device() };
    const { nats, redis, clickhouse } = devices;
    const folders = { nats: nats.folder, redis: redis.folder, clickhouse: clickhouse.folder };
    const stage = await startCrashStage(random, { folders });
    const stop = async (): Promise<void> => {
      await stage.stop();
      await removeAll();
    };
    return { ...stage, devices, stop };
  } catch (error) {
    await removeAll();
    throw error;
  }
};

const ANSWER_MS_MAX = 5_000;

const natsLedger = ({ nats }: LiveStack, name: string): Ledger => ({
  prepare: async () => {
    const jsm = await nats.jetstreamManager();
    await jsm.streams.add({ name, subjects: [name], storage: StorageType.File });
  },
  write: (number) => nats.jetstream().publish(name, String(number), { timeout: ANSWER_MS_MAX }),
  read: async () =>
    new Set((await readStream(nats, name)).map(({ data }) => Number(Buffer.from(data).toString()))),
});

const clickhouseLedger = ({ clickhouse }: LiveStack, name: string): Ledger => ({
  prepare: () =>
    clickhouse.exec(`CREATE TABLE ${name} (n UInt64) ENGINE = MergeTree ORDER BY n`, {}),
  write: (number) => clickhouse.insert(name, [{ n: number }]),
  read: async () => {
    const rows = await clickhouse.query(
      `SELECT n FROM ${name}`,
      {},
      z.object({ n: z.coerce.number() }),
    );
    return new Set(rows.map(({ n }) => n));
  },
});

const LEDGERS: Readonly<Record<Store, (stack: LiveStack, name: string) => Ledger>> = {
  nats: natsLedger,
  redis: ({ redis }, name) => redisLedger(redis, name),
  clickhouse: clickhouseLedger,
};

/**
 * Writes to a store, one record after the other, and remembers what it confirmed; stops by itself at the first failed
 * write.
 * @param name of a stream, family or table that does not exist yet.
 */
export const keepPromises = async (stack: LiveStack, store: Store, name: string) => {
  const ledger = LEDGERS[store](stack, name);
  await ledger.prepare();
  let [isOver, hasFailed, confirmed] = [false, false, 0];
  const writing = (async () => {
    try {
      while (!isOver) {
        await ledger.write(confirmed + 1);
        confirmed += 1;
      }
    } catch (error) {
      hasFailed = true;
      if (confirmed === 0) throw new Error(`${store}: ${errorMessage(error)}`, { cause: error });
    }
  })();
  return {
    /** Number of the last write that was confirmed. */
    confirmed: (): number => confirmed,
    /** Whether a write was refused. */
    hasFailed: (): boolean => hasFailed,
    /** Resolves when writing has stopped. */
    stop: async (): Promise<void> => {
      isOver = true;
      await writing;
    },
    /** The numbers up to the last confirmed one that are missing in the store. */
    missing: async (): Promise<number[]> => {
      const read = () => ledger.read().catch(() => undefined);
      const there = await until(`${store} can be read`, read, STACK_WAIT_MS_MAX);
      return Array.from({ length: confirmed }, (_, i) => i + 1).filter((n) => !there.has(n));
    },
  };
};
