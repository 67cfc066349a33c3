import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { silentLogger } from '../../shared/platform/logger.ts';
import type { Lease, QueueEntry } from './deliveryQueue.ts';
import { createDispatcher } from './dispatcher.ts';

const LEASE: Lease = { webhookId: 'wh_1', lane: 'ready', untilMs: 1e12 };
const entry = (id: string): QueueEntry => ({
  family: 'fam',
  webhookId: LEASE.webhookId,
  id,
  eventId: `msg_${id}`,
  type: 'watchlist.alert',
  attempt: 0,
  createdAtMs: 0,
});

describe('dispatcher', () => {
  it('does not repeat an attempt that ends while it is asked what else is due', async () => {
    const [slow, next] = [entry('slow'), entry('next')];
    const ending = new AbortController();
    const started: string[] = [];
    const leases = [LEASE];
    let endSlow = (): void => undefined;
    let takes = 0;
    const dispatcher = createDispatcher({
      queue: {
        claim: async (lane) => (lane === 'ready' ? leases.splice(0) : []),
        renew: async (lease) => lease,
        release: async () => ending.abort(),
        stored: async () => undefined,
        unstored: async () => [],
        take: async () => {
          takes += 1;
          if (takes === 1) return [slow];
          if (takes > 2) return [];
          // The due deliveries were read; the attempt ends before the answer arrives.
          endSlow();
          await turn();
          return [slow, next];
        },
      },
      attempts: {
        attempt: async ([first]) => {
          started.push(first?.id ?? '');
          if (first?.id === 'slow') {
            await new Promise<void>((resolve) => {
              endSlow = resolve;
            });
          }
        },
        stored: async () => undefined,
      },
      isTogether: () => false,
      clock: { now: () => 0, sleep: async () => turn() },
      logger: silentLogger,
    });
    await dispatcher.run(ending.signal);
    assert.deepEqual(started, ['slow', 'next']);
  });
});
