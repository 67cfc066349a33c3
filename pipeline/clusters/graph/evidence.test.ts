import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { blockOf, created as creation, edge } from '../testing/detectorBlocks.ts';
import { createRingDetector } from './createRingDetector.ts';
import type { DetectorFact } from './ringDetector.ts';

const hex = (name: number, bytes: number): Hex => `0x${name.toString(16).padStart(bytes * 2, '0')}`;
const wallet = (name: number): Hex => hex(name, 20);
const [SCAMMER, OTHER, SERVICE] = [wallet(1), wallet(2), wallet(3)];
const token = (name: number): Hex => wallet(100_000 + name);
const created = (name: number, creator: Hex, code = 0): DetectorFact =>
  creation(token(name), creator, hex(code, 32));

/** Whether the other wallet shares a ring with the scammer after these blocks; its token 1 is a scam. */
const shareRing = (
  blocks: readonly (readonly [number, readonly DetectorFact[]])[],
  scams: readonly number[] = [1],
): boolean => {
  const detector = createRingDetector({ hubs: [SERVICE], edgesMax: 5_000, walletsMax: 5_000 });
  for (const [number, facts] of blocks) detector.apply(blockOf(number, facts));
  for (const scam of scams) detector.setVerdict(token(scam), true);
  const ring = detector.ringOf(SCAMMER);
  return ring !== undefined && ring === detector.ringOf(OTHER);
};

describe('services by the number of their counterparties', () => {
  for (const { count, isHub } of [
    { count: 999, isHub: false },
    { count: 1_000, isHub: true },
  ]) {
    it(`${count} counterparties ${isHub ? 'make' : 'do not make'} a service`, () => {
      const detector = createRingDetector({ edgesMax: 5_000, walletsMax: 5_000 });
      const edges = Array.from({ length: count }, (_, i) => edge('native', OTHER, wallet(10 + i)));
      detector.apply(blockOf(1, edges));
      assert.equal(detector.isHub(OTHER), isHub);
    });
  }

  it('money to one wallet many times does not', () => {
    const detector = createRingDetector({ edgesMax: 5_000, walletsMax: 5_000 });
    const edges = Array.from({ length: 1_500 }, () => edge('native', OTHER, wallet(10)));
    detector.apply(blockOf(1, edges));
    assert.equal(detector.isHub(OTHER), false);
  });
});

describe('launches sniped beside a member', () => {
  const launches = (count: number, lateBlocks: number) =>
    Array.from({ length: count }, (_, i) => {
      const [name, number] = [i + 1, 10 * (i + 1)];
      return [
        [number, [created(name, SCAMMER)]],
        [number + 1, [edge('bought', SCAMMER, token(name))]],
        [number + 1 + lateBlocks, [edge('bought', OTHER, token(name))]],
      ] as [number, DetectorFact[]][];
    }).flat();
  /** Purchases of one block belong to one call. */
  const together = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const name = i + 1;
      const buys = [SCAMMER, OTHER].map((buyer) => edge('bought', buyer, token(name)));
      return [10 * name, [...buys, created(name, SCAMMER)]] as const;
    });
  it('one token is too little', () => assert.equal(shareRing(together(1)), false));
  it('two tokens are enough', () => assert.equal(shareRing(together(2)), true));
  it('a block later is no snipe', () => assert.equal(shareRing(launches(3, 1)), false));
  it('who snipes as many tokens of others is a bot', () => {
    const others = [4, 5, 6].map((name) => edge('bought', OTHER, token(name)));
    assert.equal(shareRing([...together(3), [90, others]]), false);
  });
});

describe('tokens handed by their creator to who only sells', () => {
  const given = edge('token', SCAMMER, OTHER, { token: token(1) });
  const sold = edge('sold', OTHER, token(1));
  const launch = [1, [created(1, SCAMMER)]] as const;
  const gifts = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      edge('token', SCAMMER, wallet(10 + i), { token: token(1) }),
    );
  const cases = [
    { name: 'given and sold', edges: [given, sold], isFound: true },
    { name: 'given and kept', edges: [given], isFound: false },
    { name: 'sold, never given', edges: [sold], isFound: false },
    {
      name: 'given, bought and sold',
      edges: [given, edge('bought', OTHER, token(1)), sold],
      isFound: false,
    },
    { name: 'one of 50 gifts', edges: [...gifts(49), given, sold], isFound: true },
    { name: 'one of 51 gifts', edges: [...gifts(50), given, sold], isFound: false },
  ];
  for (const { name, edges, isFound } of cases) {
    it(`${name}: ${isFound ? 'a member' : 'no member'}`, () =>
      assert.equal(shareRing([launch, [5, edges]]), isFound));
  }
});

describe('the same bytecode of two scams with money from one service', () => {
  const cases = [
    { name: 'alike and near', value: 1.01, block: 300, code: 9, isFound: true },
    // A service's payment to it counts against membership: means of its own.
    { name: 'no scam', value: 1, block: 2, code: 9, scams: [1], isFound: false },
    { name: 'another amount', value: 1.05, block: 300, code: 9, isFound: false },
    { name: 'too late', value: 1, block: 302, code: 9, isFound: false },
    { name: 'another bytecode', value: 1, block: 2, code: 8, isFound: false },
  ];
  for (const { name, value, block, code, scams = [1, 2], isFound } of cases) {
    it(`${name}: ${isFound ? 'a member' : 'no member'}`, () => {
      const blocks = [
        [1, [edge('native', SERVICE, SCAMMER)]],
        [block, [edge('native', SERVICE, OTHER, { value })]],
        [400, [created(1, SCAMMER, 9), created(2, OTHER, code)]],
      ] as const;
      assert.equal(shareRing(blocks, scams), isFound);
    });
  }
});

describe('finality', () => {
  it('takes a creation that comes late in a final block, once', () => {
    const detector = createRingDetector({ edgesMax: 50, walletsMax: 50 });
    detector.apply(blockOf(1, [edge('native', SCAMMER, OTHER)]));
    detector.finalize(10);
    detector.apply(blockOf(2, [created(1, SCAMMER)]));
    detector.apply(blockOf(3, [created(1, OTHER)]));
    detector.setVerdict(token(1), true);
    assert.ok(detector.ringOf(SCAMMER));
  });

  it('lets old edges go for new ones only once they are final', () => {
    const detector = createRingDetector({ edgesMax: 2, walletsMax: 50 });
    const pay = (number: number) =>
      blockOf(number, [edge('native', wallet(10), wallet(10 + number))]);
    for (const number of [1, 2, 3]) detector.apply(pay(number));
    assert.equal(detector.funderOf(wallet(13)), undefined);
    detector.finalize(3);
    detector.apply(pay(4));
    assert.equal(detector.funderOf(wallet(14)), wallet(10));
    assert.equal(detector.stats().edges, 2);
  });
});
