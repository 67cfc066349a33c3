import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MessageHeaders, readMessageHeaders, writeMessageHeaders } from './messageHeaders.ts';

const HASH = `0x${'a1'.repeat(32)}` as const;
const BLOCKS: Record<string, string> = {
  Kind: 'blocks',
  Epoch: '2',
  From: '5',
  Number: '9',
  Hash: HASH,
  Parent: `0x${'b2'.repeat(32)}`,
  Time: '1700',
  Chunk: '0',
  Last: 'false',
};

const read = (fields: Record<string, string>): MessageHeaders | undefined =>
  readMessageHeaders((name) => fields[name]);
/** What was left out is no header. */
const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(BLOCKS).filter(([key]) => key !== name));

describe('headers of a chain message', () => {
  it('are read as they were written, name by name', () => {
    const headers = read(BLOCKS);
    assert.ok(headers?.kind === 'blocks');
    assert.equal(headers.last, false);
    assert.deepEqual(Object.fromEntries(writeMessageHeaders(headers)), BLOCKS);
    const last = read({ ...BLOCKS, Last: 'true' });
    assert.ok(last?.kind === 'blocks' && last.last);
  });

  it('hold only what their kind has', () => {
    const reorg: MessageHeaders = { kind: 'reorg', epoch: 1, number: 4, hash: HASH, timestampS: 9 };
    assert.deepEqual(
      writeMessageHeaders(reorg).map(([name]) => name),
      ['Kind', 'Epoch', 'Number', 'Hash', 'Time'],
    );
    assert.deepEqual(read(Object.fromEntries(writeMessageHeaders(reorg))), reorg);
    const finalized: MessageHeaders = { kind: 'finalize', epoch: 1, number: 4, hash: HASH };
    assert.deepEqual(
      writeMessageHeaders(finalized).map(([name]) => name),
      ['Kind', 'Epoch', 'Number', 'Hash'],
    );
    assert.deepEqual(read(Object.fromEntries(writeMessageHeaders(finalized))), finalized);
  });

  for (const name of Object.keys(BLOCKS).filter((one) => one !== 'Last')) {
    it(`are of no watcher without ${name}`, () => assert.equal(read(without(name)), undefined));
  }

  for (const name of ['Epoch', 'From', 'Number', 'Time', 'Chunk']) {
    it(`are of no watcher where ${name} is no count`, () => {
      for (const value of ['-1', '1.5', 'x', '', '9007199254740993']) {
        assert.equal(read({ ...BLOCKS, [name]: value }), undefined, value);
      }
    });
  }

  it('are of no watcher where the hash or the kind is none', () => {
    for (const hash of [`0x${'a1'.repeat(31)}`, `${HASH}0`, `x${HASH}`, HASH.toUpperCase()]) {
      assert.equal(read({ ...BLOCKS, Hash: hash }), undefined, hash);
    }
    assert.equal(read({ ...BLOCKS, Kind: 'block' }), undefined);
    assert.equal(read({ ...without('Time'), Kind: 'reorg' }), undefined);
  });
});
