import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { blockOf, created, edge } from '../testing/detectorBlocks.ts';
import { createRingDetector } from './createRingDetector.ts';

const hex = (name: number, bytes: number): Hex => `0x${name.toString(16).padStart(bytes * 2, '0')}`;
const wallet = (name: number): Hex => hex(name, 20);
const tx = (name: number): Hex => hex(name, 32);

describe('createRingDetector', () => {
  it('finds a funder and its deployers once a token is a scam by its verdict, and forgets them again', () => {
    const detector = createRingDetector();
    detector.apply(
      blockOf(
        100,
        [2, 3].map((to) => edge('native', wallet(1), wallet(to))),
      ),
    );
    detector.apply(
      blockOf(
        101,
        [2, 3].map((creator) => created(wallet(creator + 10), wallet(creator))),
      ),
    );
    detector.setVerdict(wallet(13), true);
    const { changed } = detector.setVerdict(wallet(12), true);
    assert.deepEqual(
      changed[0]?.members.map((member) => member.wallet),
      [1, 2, 3].map(wallet),
    );
    const id = changed[0]?.id;
    assert.deepEqual(detector.undo([tx(100)]).removed, [{ id, mergedInto: null }]);
  });

  it('takes the facts of a block in either order: creations may come before movements', () => {
    const movements = [2, 3].map((to) => edge('native', wallet(1), wallet(to)));
    const creations = [2, 3].map((creator) => created(wallet(creator + 10), wallet(creator)));
    for (const order of [
      [movements, creations],
      [creations, movements],
      [[...creations, ...movements], creations, movements],
    ]) {
      const detector = createRingDetector();
      for (const facts of order) detector.apply(blockOf(100, facts));
      detector.setVerdict(wallet(13), true);
      const { changed } = detector.setVerdict(wallet(12), true);
      assert.deepEqual(
        changed[0]?.members.map((member) => member.wallet),
        [1, 2, 3].map(wallet),
      );
      assert.equal(detector.undo([tx(100)]).removed.length, 1);
    }
  });
});
