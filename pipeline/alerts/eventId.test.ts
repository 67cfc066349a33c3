import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTime } from 'ulid';
import { alertMessageSchema } from '../../shared/messages/alertMessage.ts';
import { sampleAlert } from '../../shared/testing/samples.ts';
import { eventIdOf } from './alertId.ts';

describe('eventId', () => {
  const alert = sampleAlert();

  it('is the same for the same event, and such as messages carry', () => {
    const eventId = eventIdOf(alert, 'raised', 3);
    assert.equal(eventIdOf({ ...alert }, 'raised', 3), eventId);
    const message = { v: 1, eventId, state: 'raised', alert };
    assert.deepEqual(alertMessageSchema.parse(message), message);
    assert.equal(decodeTime(eventId.slice(4)), alert.createdAtMs);
  });

  it('is another for every raise, withdrawal, alert and family', () => {
    const ids = [
      eventIdOf(alert, 'raised', 3),
      eventIdOf(alert, 'withdrawn', 3),
      eventIdOf(alert, 'raised', 4),
      eventIdOf({ ...alert, id: alert.id + 1 }, 'raised', 3),
      eventIdOf({ ...alert, family: 'other' }, 'raised', 3),
    ];
    assert.equal(new Set(ids).size, ids.length);
  });
});
