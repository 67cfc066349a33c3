import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseVersion } from './serverBinaries.ts';

describe('parseVersion', () => {
  const cases: [text: string, version: [number, number] | undefined][] = [
    ['nats-server: v2.10.27', [2, 10]],
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', [7, 0]],
    ['Redis server v=8.0.2', [8, 0]],
    ['command not found', undefined],
  ];
  for (const [text, version] of cases) {
    it(`reads "${text}"`, () => assert.deepEqual(parseVersion(text), version));
  }
});
