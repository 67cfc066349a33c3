import assert from 'node:assert/strict';
import type { NatsConnection } from 'nats';
import { z } from 'zod';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { chainStream } from '../../shared/messages/subjects.ts';
import { LEASE_BUCKET } from '../../shared/platform/nats.ts';
import type { TestProcess } from '../../shared/testing/pipelineProcess.ts';
import { readStream } from '../../shared/testing/stores.ts';

const holderSchema = z.object({ pid: z.number() });

/** Which of the processes holds a lease; undefined if none does, or if unknown. */
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

/**
 * @throws AssertionError if a chain's stream is not one linked sequence of blocks up to the head: then two watchers
 * wrote at once
 */
export const assertOneLine = async (
  connection: NatsConnection,
  chainId: number,
  headHash: string,
): Promise<void> => {
  const entries = await readStream(connection, chainStream(chainId));
  let tip: { number: number; hash: string } | undefined;
  let epoch = 0;
  for (const [seq, { data }] of entries.entries()) {
    const event = decodeChainEvent(data);
    assert.equal(event.chainId, chainId, `chain of message ${seq}`);
    if (event.kind === 'finalize') continue;
    if (event.kind === 'reorg') {
      assert.equal(event.epoch, epoch + 1, `epoch of message ${seq}`);
      epoch = event.epoch;
      tip = event.ancestor;
      continue;
    }
    assert.equal(event.epoch, epoch, `epoch of message ${seq}`);
    if (tip) assert.equal(event.from, tip.number + 1, `first block of message ${seq}`);
    if (event.last) tip = event.to;
  }
  assert.equal(tip?.hash, headHash);
};
