import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PORT_BASE_MAX, PORTS_PER_STACK, portLayout } from './portLayout.ts';

describe('portLayout', () => {
  it('puts the API at the base and every other port at its own number after it', () => {
    assert.equal(portLayout(20_000).api, 20_000);
    const ports = Object.values(portLayout(20_000)).sort((left, right) => left - right);
    const expected = Array.from({ length: PORTS_PER_STACK }, (_, index) => 20_000 + index);
    assert.deepEqual(ports, expected);
  });

  it('stays within the ports that exist', () => {
    assert.equal(Math.max(...Object.values(portLayout(PORT_BASE_MAX))), 65_535);
  });
});
