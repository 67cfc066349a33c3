import type { Random } from '../simulation/random.ts';
import { type BlockDevice, createBlockDevice } from './blockDevice.ts';
import { type CrashStage, startCrashStage } from './crashStage.ts';
import type { Store } from './liveStack.ts';

/** The stores, each on a disk of its own. */
export const STORES = ['nats', 'redis', 'clickhouse'] as const satisfies readonly Store[];

/** A stage whose stores can be cut off from their disks. */
export interface DeviceStage extends CrashStage {
  readonly devices: Readonly<Record<Store, BlockDevice>>;
}

/** Makes the disks and starts the stage on them. Needs root. */
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
