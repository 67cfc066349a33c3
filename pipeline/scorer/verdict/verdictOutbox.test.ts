import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAtHead, isRecent, PUBLISH_AGE_MS_MAX } from './verdictOutbox.ts';

describe('isRecent', () => {
  it('is true of facts near the head that were read a moment ago', () => {
    assert.ok(isRecent({ lagBlocks: 0, lateMs: 0 }));
    assert.ok(isRecent({ lagBlocks: 32, lateMs: PUBLISH_AGE_MS_MAX }));
  });

  it('is false of facts that the chain has long left behind', () => {
    assert.ok(!isRecent({ lagBlocks: 33, lateMs: 0 }));
    assert.ok(!isAtHead({ lagBlocks: 33, lateMs: 0 }));
  });

  it('is false of facts that waited in the stream for too long, though they were at the head', () => {
    const lag = { lagBlocks: 0, lateMs: PUBLISH_AGE_MS_MAX + 1 };
    assert.ok(!isRecent(lag));
    assert.ok(isAtHead(lag));
  });
});
