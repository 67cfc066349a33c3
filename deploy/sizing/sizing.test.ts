import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { CHAINS, MEASURED } from './figures.ts';
import { demandOf, measuredTable, sizingTable } from './sizing.ts';

const PAGE = readFileSync(join(projectRoot(), 'deploy/SIZING.md'), 'utf8');

describe('SIZING.md', () => {
  it('shows what the arithmetic gives', () => {
    assert.ok(PAGE.includes(sizingTable(CHAINS, MEASURED)), sizingTable(CHAINS, MEASURED));
    assert.ok(PAGE.includes(measuredTable(MEASURED)), measuredTable(MEASURED));
  });
});

describe('demandOf', () => {
  const measured = {
    eventsPerTransaction: 2,
    eventsPerCoreS: 1_000,
    coreSPerBlock: 1,
    streamBytesPerEvent: 200,
    rolesBytes: 1024 ** 3,
    tables: { a: { rowsPerEvent: 0.5, bytesPerRow: 100 }, b: { rowsPerEvent: 1, bytesPerRow: 10 } },
  };
  it('multiplies rates by what an event becomes', () => {
    const demand = demandOf({ name: 'x', transactionsPerS: 1_000, blockTimeS: 2 }, measured);
    assert.equal(demand.eventsPerS, 2_000);
    assert.equal(demand.rowsPerDay, 2_000 * 86_400 * 1.5);
    assert.equal(demand.bytesPerDay, 2_000 * 86_400 * 60);
    assert.equal(demand.streamBytesPerDay, 2_000 * 86_400 * 200);
    assert.deepEqual([demand.coresBusy, demand.cores], [2.5, 10]);
  });
  it('adds the blocks and the roles of every chain up', () => {
    const load = { name: 'x', transactionsPerS: 1_000, blockTimeS: 2 };
    const [one, four] = [demandOf(load, measured), demandOf({ ...load, chains: 4 }, measured)];
    assert.equal(four.coresBusy - one.coresBusy, 3 * (1 / 2));
    assert.equal(four.memoryBytes - one.memoryBytes, 3 * 1024 ** 3);
    assert.equal(four.rowsPerDay, one.rowsPerDay);
  });
  it('asks for no less than what the servers need idle', () => {
    const demand = demandOf({ name: 'x', transactionsPerS: 0, blockTimeS: 100 }, measured);
    assert.deepEqual([demand.cores, demand.memoryBytes], [2, 5 * 1024 ** 3]);
  });
});
