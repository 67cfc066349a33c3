import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { NatsConnection } from 'nats';
import { silentLogger } from '../../shared/platform/logger.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import { type Service, startNats } from '../../shared/testing/services.ts';
import { hearNews } from './subscribe.ts';

describe('hearing news', () => {
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
    void hearNews(
      connection,
      {
        subjects: ['score.>'],
        onMessage: (subject, data) => note(`${subject} ${Buffer.from(data).toString()}`),
        onHearing: (isHearing) => note(isHearing ? 'hearing' : 'deaf'),
      },
      silentLogger,
    );
  });
  after(async () => {
    await connection.close();
    await server.stop();
  });

  it('tells what is published once it says that it hears, and when it does not', async () => {
    await until('hearing');
    connection.publish('score.1.0xa', 'first');
    connection.publish('other.1', 'no');
    await until('score.1.0xa first');
    await server.kill();
    await until('deaf');
    assert.deepEqual(seen, ['hearing', 'score.1.0xa first', 'deaf']);
    seen.length = 0;
    await server.restart();
    await until('hearing');
    connection.publish('score.1.0xa', 'second');
    await until('score.1.0xa second');
    assert.deepEqual(seen, ['hearing', 'score.1.0xa second']);
  });
});
