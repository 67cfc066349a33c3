import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { WebSocket } from 'ws';
import { silentLogger } from '../../shared/platform/logger.ts';
import type { KeyState } from '../accounts/keyStore.ts';
import { openEventStream } from './eventStream.ts';
import { createRegistry } from './registry.ts';
import type { Session } from './session.ts';
import { openSocketSession } from './socketSession.ts';

const S = 1_000;
const CALLER = { keyId: 'key1', family: 'fam1', tier: 'pro' } as const;

/** A socket with the test as its client. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  pings = 0;
  closedBy: number | undefined;
  isTerminated = false;
  ping(): void {
    this.pings += 1;
  }
  send(): void {}
  close(code: number): void {
    this.closedBy = code;
    this.readyState = 2;
  }
  terminate(): void {
    this.isTerminated = true;
  }
}

/** Streams with a clock that the test advances. */
const setup = () => {
  let nowMs = 0;
  let key: Pick<KeyState, 'status' | 'family' | 'tier'> = { ...CALLER, status: 'active' };
  const clock = { now: () => nowMs, sleep: async () => undefined };
  const sessions: Session[] = [];
  const registry = createRegistry({
    keys: { find: async () => key as KeyState },
    limit: { renew: async () => undefined, release: async () => undefined },
    clock,
    logger: silentLogger,
  });
  const ports = {
    subscribe: () => ({ started: Promise.resolve(), end: () => undefined }),
    registry: {
      add: (session: Session) => {
        sessions.push(session);
        registry.add(session);
      },
      remove: (session: Session) => registry.remove(session),
    },
    clock,
    logger: silentLogger,
  };
  return {
    ports,
    registry,
    openSocket: (): FakeSocket => {
      const socket = new FakeSocket();
      openSocketSession(ports, socket as unknown as WebSocket, { caller: CALLER, id: 'p1' });
      return socket;
    },
    /** Once a second up to this time, as the registry does. */
    passTo: (endMs: number): void => {
      while (nowMs < endMs) {
        nowMs += S;
        for (const session of sessions) session.tick(nowMs);
      }
    },
    setKey: (changes: Partial<typeof key>): void => {
      key = { ...key, ...changes };
    },
  };
};

describe('a WebSocket that says nothing', () => {
  it('is pinged after half a minute and closed after one, and cut off where it does not answer', () => {
    const { openSocket, passTo } = setup();
    const socket = openSocket();
    passTo(29 * S);
    assert.equal(socket.pings, 0);
    passTo(60 * S);
    assert.deepEqual([socket.pings, socket.closedBy], [2, undefined]);
    passTo(61 * S);
    assert.equal(socket.closedBy, 4408);
    passTo(66 * S);
    assert.equal(socket.isTerminated, false);
    passTo(67 * S);
    assert.equal(socket.isTerminated, true);
  });

  it('stays open for as long as it answers pings', () => {
    const { openSocket, passTo } = setup();
    const socket = openSocket();
    for (let halfMinutes = 1; halfMinutes <= 20; halfMinutes += 1) {
      passTo(halfMinutes * 30 * S);
      socket.emit('pong');
    }
    assert.deepEqual([socket.pings, socket.closedBy], [20, undefined]);
  });
});

describe('a stream whose key changes', () => {
  it('is closed where the tier has no streams any more, where the key is revoked or of another family', async () => {
    for (const [changes, code] of [
      [{ tier: 'starter' }, 4403],
      [{ status: 'revoked' }, 4401],
      [{ family: 'fam2' }, 4401],
      [{ tier: 'enterprise' }, undefined],
    ] as const) {
      const { openSocket, registry, setKey } = setup();
      const socket = openSocket();
      setKey(changes);
      await registry.checkKey(CALLER.keyId);
      assert.equal(socket.closedBy, code, JSON.stringify(changes));
    }
  });
});

describe('an event stream', () => {
  it('has a heartbeat every fifteen seconds', () => {
    const { ports, passTo } = setup();
    const types = ['watchlist.alert'] as const;
    const request = { caller: CALLER, id: 'p1', types, lastEventId: undefined };
    const stream = openEventStream(ports, request);
    passTo(60 * S);
    assert.equal(String(stream.read()), ': beat\n\n'.repeat(4));
    stream.destroy();
  });
});
