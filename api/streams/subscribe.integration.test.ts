import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { NatsConnection } from 'nats';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { type Service, startNats } from '../../shared/testing/services.ts';
import { subscribe } from '../tokens/verdictCache.ts';

describe('a subscription', () => {
  let server: Service;
  let connection: NatsConnection;
  const happened = new EventTarget();
  const seen: string[] = [];
  const note = (what: string): void => {
    seen.push(what);
    happened.dispatchEvent(new Event('change'));
  };
  const until = async (what: string): Promise<void> => {
    while (!seen.includes(what)) await once(happened, 'change');
  };

  before(async () => {
    server = await startNats();
    connection = await connectNats(server.url, 'test');
    void subscribe(
      connection,
      {
        subjects: ['score.>'],
        onMessage: (subject, data) => note(`${subject} ${Buffer.from(data).toString()}`),
        onConnected: (isConnected) => note(isConnected ? 'connected' : 'disconnected'),
      },
      silentLogger,
    );
  });
  after(async () => {
    await connection.close();
    await server.stop();
  });

  it('delivers what is published once it reports that it is connected, and reports when it is not', async () => {
    await until('connected');
    connection.publish('score.1.0xa', 'first');
    connection.publish('other.1', 'no');
    await until('score.1.0xa first');
    await server.kill();
    await until('disconnected');
    assert.deepEqual(seen, ['connected', 'score.1.0xa first', 'disconnected']);
    seen.length = 0;
    await server.restart();
    await until('connected');
    connection.publish('score.1.0xa', 'second');
    await until('score.1.0xa second');
    assert.deepEqual(seen, ['connected', 'score.1.0xa second']);
  });
});
