import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChainEvent } from '../chain/chainEvent.ts';
import type { Fact } from '../chain/fact.ts';
import { blocksEvent } from '../testing/blocksEvent.ts';
import { SAMPLE_FACTS } from '../testing/sampleFacts.ts';
import { decodeChainEvent, encodeChainEvent } from './chainMessage.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}` as const;
const one = `0x${'1'.repeat(40)}` as const;

const eventOf = (facts: readonly Fact[]): ChainEvent =>
  blocksEvent([{ number: 10, hash: hash('b'), timestampS: 1_700_000_000, facts }], {
    epoch: 2,
    from: 9,
    head: 12,
    readAtMs: 1_700_000_000_123,
  });

/** The message with one of its facts changed. */
const tampered = (change: (tuple: unknown[]) => unknown): Uint8Array => {
  const message = JSON.parse(Buffer.from(encodeChainEvent(eventOf(SAMPLE_FACTS))).toString()) as {
    blocks: { facts: unknown[] }[];
  };
  const facts = message.blocks[0]?.facts ?? [];
  facts[0] = change(facts[0] as unknown[]);
  return Buffer.from(JSON.stringify(message));
};

describe('chain messages', () => {
  it('carry every kind of fact unchanged', () => {
    const event = eventOf(SAMPLE_FACTS);
    assert.deepEqual(decodeChainEvent(encodeChainEvent(event)), event);
  });

  it('carry reorgs and finality unchanged', () => {
    const block = { number: 4, hash: hash('d') };
    const reorg: ChainEvent = {
      kind: 'reorg',
      chainId: 1,
      epoch: 3,
      ancestor: { ...block, timestampS: 5 },
      orphaned: [{ number: 5, hash: hash('e') }],
    };
    const final: ChainEvent = { kind: 'finalize', chainId: 1, epoch: 3, block };
    for (const event of [reorg, final]) {
      assert.deepEqual(decodeChainEvent(encodeChainEvent(event)), event);
    }
  });

  it('are refused with a fact of an unknown kind, a missing field or a wrong size', () => {
    const refused = [
      (tuple: unknown[]) => ['nothing', ...tuple.slice(1)],
      (tuple: unknown[]) => tuple.slice(0, -1),
      (tuple: unknown[]) => [...tuple, 1],
      (tuple: unknown[]) => tuple.with(1, '0x12'),
      (tuple: unknown[]) => tuple.with(4, `0x${'1'.repeat(65)}`),
      (tuple: unknown[]) => tuple.with(4, 5),
      (tuple: unknown[]) => tuple.with(6, -1),
      (tuple: unknown[]) => tuple.with(7, 0.5),
      () => ({ kind: 'transfer' }),
      () => null,
    ];
    for (const change of refused) {
      assert.throws(() => decodeChainEvent(tampered(change)), /must be a list of facts/);
    }
  });

  it('are refused with an event of a market that is not complete', () => {
    const refuses = (kind: string, protocol: string, change: (tuple: unknown[]) => unknown[]) => {
      const message = JSON.parse(
        Buffer.from(encodeChainEvent(eventOf(SAMPLE_FACTS))).toString(),
      ) as {
        blocks: { facts: unknown[][] }[];
      };
      const facts = message.blocks[0]?.facts ?? [];
      const at = facts.findIndex((tuple) => tuple[0] === kind && tuple[1] === protocol);
      assert.ok(at >= 0, `${kind} of ${protocol}`);
      facts[at] = change(facts[at] ?? []);
      const bytes = Buffer.from(JSON.stringify(message));
      assert.throws(
        () => decodeChainEvent(bytes),
        /must be a list of facts/,
        `${kind} ${protocol}`,
      );
    };
    refuses('sync', 'uniswap_v2', (tuple) => tuple.with(1, 'uniswap_v9'));
    refuses('sync', 'uniswap_v2', (tuple) => tuple.with(2, hash('1')));
    refuses('sync', 'uniswap_v2', (tuple) => [...tuple, null]);
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(2, one));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(12, [1]));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(12, ['0x1', 2 ** 24, '0x1']));
    refuses('swap', 'uniswap_v4', (tuple) => tuple.with(13, '0x'));
    refuses('collect', 'uniswap_v3', (tuple) => tuple.slice(0, -1));
    refuses('poolCreated', 'uniswap_v4', (tuple) => tuple.with(9, [1, 2, 'yes', one]));
  });
});
