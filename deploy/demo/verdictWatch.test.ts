import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pollUntil } from './verdictWatch.ts';

describe('pollUntil', () => {
  it('looks again until the value is there', async () => {
    let looks = 0;
    const polled = await pollUntil(async () => {
      looks += 1;
      return looks < 3 ? { instead: 'nothing' } : { value: 'verdict' };
    }, 10_000);
    assert.equal(polled.kind === 'found' && polled.value, 'verdict');
    assert.equal(looks, 3);
  });

  it('says what it saw last when the time is over', async () => {
    const polled = await pollUntil(async () => ({ instead: '404 RES_001' }), 0);
    assert.deepEqual(polled, { kind: 'missing', lastSeen: '404 RES_001' });
  });

  it('goes on after a look that failed', async () => {
    let looks = 0;
    const polled = await pollUntil(async () => {
      looks += 1;
      if (looks === 1) throw new Error('connection refused');
      return { value: looks };
    }, 10_000);
    assert.equal(polled.kind === 'found' && polled.value, 2);
  });
});
