import type { NatsConnection } from 'nats';
import { z } from 'zod';
import { LEASE_BUCKET } from '../../shared/platform/nats.ts';
import type { TestProcess } from '../../shared/testing/pipelineProcess.ts';

const holderSchema = z.object({ pid: z.number() });

/** Which of the processes holds a lease; undefined where none does, or that is unknown. */
export const leaderOf = async (
  connection: NatsConnection,
  lease: string,
  processes: readonly TestProcess[],
): Promise<TestProcess | undefined> => {
  try {
    const kv = await connection.jetstream().views.kv(LEASE_BUCKET, { bindOnly: true });
    const entry = await kv.get(lease);
    if (entry?.operation !== 'PUT') return undefined;
    const { pid } = holderSchema.parse(entry.json());
    return processes.find((one) => one.pid === pid);
  } catch {
    return undefined;
  }
};
