import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem';
import { PROPERTY_RUNS } from '../testing/random.ts';
import { decodeLog, EVENTS, FACT_TOPICS } from './decodeLog.ts';
import type { RawLog } from './rawBlock.ts';
import { valuesByViem } from './testing/valuesByViem.ts';
import { TOPIC } from './topic.ts';

const RANDOM_LOGS = 100_000;

const hexOf = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((values): Hex => `0x${Buffer.from(values).toString('hex')}`);
const address = hexOf(20);
const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const quantity = (value: number): Hex => `0x${value.toString(16)}`;

const logOf = (topics: readonly Hex[], data: Hex): RawLog => ({
  address: `0x${'aa'.repeat(20)}`,
  topics,
  data,
  blockNumber: '0x10',
  blockHash: `0x${'bb'.repeat(32)}`,
  transactionHash: `0x${'cc'.repeat(32)}`,
  transactionIndex: quantity(3),
  logIndex: quantity(255),
});

interface AbiValue {
  readonly name?: string | undefined;
  readonly type: string;
  readonly components?: readonly AbiValue[];
}

/** A value of any ABI type an event has; `tick` by the name of its argument. */
const valueOf = ({ name, type, components = [] }: AbiValue): fc.Arbitrary<unknown> => {
  if (type === 'tuple') {
    return fc.record(Object.fromEntries(components.map((one) => [one.name ?? '', valueOf(one)])));
  }
  if (type === 'address') return address;
  if (type === 'bytes32') return hexOf(32);
  if (type === 'bool') return fc.boolean();
  if (type === 'string') return fc.string({ unit: 'binary', maxLength: 80 });
  const bits = Number(/\d+$/.exec(type)?.[0]);
  if (bits === 24) {
    const limit = /^_?tick(Lower|Upper)?$/.test(name ?? '') ? 887_272 : 2 ** 23 - 1;
    return fc.integer({ min: type === 'int24' ? -limit : 0, max: limit });
  }
  const max = 2n ** BigInt(type.startsWith('u') ? bits : bits - 1) - 1n;
  const min = type.startsWith('u') ? 0n : -max - 1n;
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(0n, 1n, max, min, min + 1n));
};

/** A log of an event with random values, as viem encodes it. */
const eventLog = fc.constantFrom(...EVENTS).chain((event) => {
  const { inputs } = event.abi;
  return fc.tuple(...inputs.map((input) => valueOf(input))).map((values) => {
    const named = inputs.map((input, i) => ({ ...input, value: values[i] }));
    const args = Object.fromEntries(named.map(({ name, value }) => [name, value]));
    const topics = encodeEventTopics({ abi: [event.abi], args } as never) as Hex[];
    const plain = named.filter(({ indexed }) => !indexed);
    const data = encodeAbiParameters(plain, plain.map(({ value }) => value) as never);
    return { event, log: logOf(topics, data) };
  });
});

test(`reads every event as viem does: ${PROPERTY_RUNS} events`, () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(eventLog, ({ event, log }) => {
      const values = valuesByViem(event, log);
      assert.deepEqual(event.read(log), values);
      const fact = decodeLog(log);
      assert.equal(typeof fact, 'object');
      // Decoded by hand.
      if (event.topic === TOPIC.transfer) {
        const place = { txHash: log.transactionHash, txIndex: 3, logIndex: 255 };
        assert.deepEqual(fact, { kind: 'transfer', token: log.address, ...values, ...place });
      }
      seen.add(event.topic);
    }),
    { numRuns: PROPERTY_RUNS },
  );
  assert.equal(seen.size, EVENTS.length);
});

test('no two decoders share a topic', () => {
  assert.equal(new Set(FACT_TOPICS).size, FACT_TOPICS.length);
});

test(`a log that was cut, extended or overwritten is read or has a reason: ${PROPERTY_RUNS} logs`, () => {
  const seen = new Set<string>();
  const damaged = fc
    .tuple(eventLog, fc.nat(), fc.nat({ max: 5 }), hexOf(32))
    .map(([{ log }, at, how, word]): RawLog => {
      const { topics, data } = log;
      const words = Math.max(1, (data.length - 2) / 64);
      const start = 2 + 64 * (at % words);
      if (how === 0) return { ...log, data: data.slice(0, 2 + (at % data.length)) as Hex };
      if (how === 1) return { ...log, data: `${data}${word.slice(2)}` };
      if (how === 2) return { ...log, topics: topics.slice(0, 1 + (at % topics.length)) };
      if (how === 3) return { ...log, topics: [...topics, word] };
      const patched = data.length > 2 ? data.slice(0, start) + word.slice(2) : data;
      if (how === 4) return { ...log, data: (patched + data.slice(start + 64)) as Hex };
      return { ...log, topics: topics.map((topic, i) => (i === 0 ? topic : word)) };
    });
  fc.assert(
    fc.property(damaged, (log) => {
      const fact = decodeLog(log);
      seen.add(typeof fact === 'string' ? fact : 'fact');
    }),
    { numRuns: PROPERTY_RUNS },
  );
  for (const outcome of ['fact', 'shape', 'address', 'amount'])
    assert.ok(seen.has(outcome), outcome);
});

test(`of random logs each is a fact or has a reason to be none: ${RANDOM_LOGS} logs`, () => {
  const known = fc.constantFrom(...FACT_TOPICS);
  const padded = address.map((value): Hex => `0x${'0'.repeat(24)}${value.slice(2)}`);
  const topics = fc.tuple(
    fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: hexOf(32) }),
    fc.array(fc.oneof({ weight: 3, arbitrary: padded }, { weight: 1, arbitrary: hexOf(32) }), {
      maxLength: 3,
    }),
  );
  const small = uint(112).map((value): Hex => `0x${value.toString(16).padStart(64, '0')}`);
  const words = fc.array(fc.oneof(hexOf(32), padded, small), { maxLength: 10 });
  const data = fc.oneof(
    {
      weight: 4,
      arbitrary: words.map((all): Hex => `0x${all.map((one) => one.slice(2)).join('')}`),
    },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 200 }).chain(hexOf) },
  );
  const seen = new Set<string>();
  fc.assert(
    fc.property(topics, data, ([first, rest], bytes) => {
      const fact = decodeLog(logOf([first, ...rest], bytes));
      seen.add(typeof fact === 'string' ? fact : fact.kind);
      if (typeof fact === 'string') return;
      for (const value of Object.values(fact)) assert.ok(value !== undefined);
    }),
    { numRuns: RANDOM_LOGS },
  );
  for (const outcome of ['transfer', 'swap', 'sync', 'topic', 'erc721', 'shape', 'address']) {
    assert.ok(seen.has(outcome), `none was ${outcome}`);
  }
});
