import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterMessage } from '../../shared/messages/clusterMessage.ts';
import { clusterSubject, scoreSubject } from '../../shared/messages/subjects.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { followChanges } from './verdictCache.ts';

const CHAIN_ID = 31_337;

const setup = () => {
  const calls: unknown[][] = [];
  const cache = {
    forget: (...args: unknown[]) => void calls.push(['forget', ...args]),
    forgetMadeBy: (...args: unknown[]) => void calls.push(['forgetMadeBy', ...args]),
    forgetAll: () => void calls.push(['forgetAll']),
    setConnected: (...args: unknown[]) => void calls.push(['setConnected', ...args]),
  };
  const listener = followChanges(CHAIN_ID, { cache, logger: silentLogger });
  const publish = (subject: string, message: unknown): void =>
    listener.onMessage(subject, Buffer.from(JSON.stringify(message)));
  return { calls, listener, publish };
};

const ring = (changes: Partial<ClusterMessage>): ClusterMessage => ({
  v: 1,
  chainId: CHAIN_ID,
  clusterId: 'cl_1',
  name: 'ring',
  change: 'changed',
  otherClusterId: null,
  size: 3,
  riskScore: 80,
  joined: [],
  joinedCount: 0,
  left: [],
  leftCount: 0,
  trigger: { kind: 'block', txHash: null, logIndex: 0 },
  blockNumber: 1,
  blockHash: `0x${'ab'.repeat(32)}`,
  timestampS: 1,
  ...changes,
});
const SUBJECT = clusterSubject(CHAIN_ID, 'cl_1');

describe('changes that are published', () => {
  it('of a verdict end what is kept of its token', () => {
    const { calls, publish } = setup();
    publish(scoreSubject(CHAIN_ID, addressOf(1)), {});
    assert.deepEqual(calls, [['forget', addressOf(1)]]);
  });

  it('of a ring end what is kept of the tokens of its wallets', () => {
    const { calls, publish } = setup();
    publish(SUBJECT, ring({}));
    const [joined, left] = [[addressOf(1)], [addressOf(2)]];
    publish(SUBJECT, ring({ joined, joinedCount: 1, left, leftCount: 1 }));
    assert.deepEqual(calls, [['forgetMadeBy', [addressOf(1), addressOf(2)]]]);
  });

  it('end everything where not all wallets are named, or nothing can be read', () => {
    const { calls, publish } = setup();
    publish(SUBJECT, ring({ joined: [addressOf(1)], joinedCount: 500 }));
    publish(SUBJECT, { v: 2 });
    publish(`score.${CHAIN_ID}.nonsense`, {});
    assert.deepEqual(calls, [['forgetAll'], ['forgetAll'], ['forgetAll']]);
  });

  it('are reported as missed while the server is away', () => {
    const { calls, listener } = setup();
    listener.onConnected(false);
    assert.deepEqual(calls, [['setConnected', false]]);
  });
});
