import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isAtHead, isNews, NEWS_AGE_MS_MAX } from './announcer.ts';

describe('isNews', () => {
  it('is true of facts near the head that were read a moment ago', () => {
    assert.ok(isNews({ lagBlocks: 0, lateMs: 0 }));
    assert.ok(isNews({ lagBlocks: 32, lateMs: NEWS_AGE_MS_MAX }));
  });

  it('is false of facts that the chain has long left behind', () => {
    assert.ok(!isNews({ lagBlocks: 33, lateMs: 0 }));
    assert.ok(!isAtHead({ lagBlocks: 33, lateMs: 0 }));
  });

  it('is false of facts that waited in the stream for too long, though they were at the head', () => {
    const behind = { lagBlocks: 0, lateMs: NEWS_AGE_MS_MAX + 1 };
    assert.ok(!isNews(behind));
    assert.ok(isAtHead(behind));
  });
});
