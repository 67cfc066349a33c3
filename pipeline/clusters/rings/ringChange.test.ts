import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressOf as wallet } from '../../../shared/testing/evmData.ts';
import { ringRow } from '../testing/ringRow.ts';
import { ringChange, ringEnd, type StoredRing } from './ringChange.ts';
import type { RingRow } from './ringRow.ts';

const ring = (numbers: readonly number[], changes: Partial<RingRow> = {}): RingRow =>
  ringRow(numbers.map(wallet), changes);
const stored = (wallets: readonly number[], changes: Partial<StoredRing> = {}): StoredRing => ({
  ...ring(wallets),
  mergedInto: '',
  ...changes,
});

describe('ringChange', () => {
  it('writes a complete new ring and publishes it', () => {
    const { row, event } = ringChange(undefined, ring([1, 2]), null);
    assert.deepEqual(row, { ...stored([1, 2]), isDeleted: false });
    assert.deepEqual(event, {
      change: 'created',
      otherClusterId: null,
      joined: [wallet(1), wallet(2)],
      left: [],
    });
  });

  it('says from which ring it split', () => {
    const { event } = ringChange(undefined, ring([1, 2]), 'cl_2');
    assert.deepEqual([event?.change, event?.otherClusterId], ['split', 'cl_2']);
  });

  it('writes and publishes nothing where nothing changed', () => {
    const { row, event } = ringChange(stored([1, 2]), ring([1, 2]), null);
    assert.deepEqual([row, event], [null, null]);
  });

  it('writes who came and who went', () => {
    const { row, event } = ringChange(stored([1, 2]), ring([1, 3]), null);
    assert.deepEqual(
      row?.members.map((each) => each.wallet),
      [wallet(1), wallet(3)],
    );
    assert.deepEqual(
      row?.evidence.map(({ to }) => to),
      [wallet(3)],
    );
    assert.deepEqual(
      [event?.change, event?.joined, event?.left],
      ['changed', [wallet(3)], [wallet(2)]],
    );
  });

  it('writes a link that changed, and publishes nothing of it', () => {
    const [link] = ring([1, 2]).evidence;
    assert.ok(link);
    const evidence = [{ ...link, confidence: 0.95 }];
    const { row, event } = ringChange(stored([1, 2]), ring([1, 2], { evidence }), null);
    assert.deepEqual([row?.evidence, event], [evidence, null]);
  });

  it('publishes a token more, but not of a moment of activity', () => {
    const known = stored([1, 2]);
    assert.equal(
      ringChange(known, ring([1, 2], { tokensCreated: 3 }), null).event?.change,
      'changed',
    );
    const later = ringChange(known, ring([1, 2], { lastActivityS: 9 }), null);
    assert.deepEqual([later.row?.lastActivityS, later.event], [9, null]);
  });

  it('writes the role of a wallet that changed, and publishes nothing of it', () => {
    const members = ring([1, 2]).members.map((member) => ({ ...member, role: 'puppet' as const }));
    const { row, event } = ringChange(stored([1, 2]), ring([1, 2], { members }), null);
    assert.deepEqual([row?.members, event], [members, null]);
  });

  it('publishes a ring that was merged and is one again as a new one', () => {
    const merged = stored([], { mergedInto: 'cl_2' });
    const { row, event } = ringChange(merged, ring([1, 2]), null);
    assert.deepEqual([row?.mergedInto, event?.change], ['', 'created']);
  });
});

describe('ringEnd', () => {
  it('keeps the row of a merged ring without wallets and links, and deletes that of a dissolved one', () => {
    const merged = ringEnd('cl_1', stored([1, 2]), 'cl_2');
    assert.deepEqual([merged.row?.mergedInto, merged.row?.isDeleted], ['cl_2', false]);
    assert.deepEqual([merged.row?.members, merged.row?.evidence], [[], []]);
    const { change, otherClusterId, left } = merged.event ?? {};
    assert.deepEqual([change, otherClusterId, left], ['merged', 'cl_2', [wallet(1), wallet(2)]]);
    const dissolved = ringEnd('cl_1', stored([1, 2]), null);
    assert.equal(dissolved.row?.isDeleted, true);
    assert.equal(dissolved.event?.change, 'removed');
  });

  it('does nothing twice', () => {
    const done = stored([1, 2], { members: [], evidence: [], mergedInto: 'cl_2' });
    assert.equal(ringEnd('cl_1', done, 'cl_2').row, null);
    assert.equal(ringEnd('cl_1', undefined, null).row, null);
  });
});
