import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { DecodeLogDataMismatch, DecodeLogTopicsMismatch } from 'viem';
import type { Fact } from '../chain/fact.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { EVENTS } from './decodeLog.ts';
import type { IgnoredReason } from './logShape.ts';
import type { RawLog } from './rawBlock.ts';
import { valuesByViem } from './testing/valuesByViem.ts';
import { TOPIC } from './topic.ts';

const BLOCKS = join(projectRoot(), '../shared/data/mainnet-blocks/blocks');

const recordedLogs = (): RawLog[] =>
  readdirSync(BLOCKS).flatMap((name) => {
    const { receipts } = JSON.parse(gunzipSync(readFileSync(join(BLOCKS, name))).toString()) as {
      receipts: { logs: RawLog[] }[];
    };
    return receipts.flatMap(({ logs }) => logs);
  });

/**
 * Logs in the recorded blocks besides Uniswap V2, counted by hand. A lending token of Aave logs three like Solidly's
 * `Burn`.
 */
const HELD = {
  'uniswap_v3 swap': 145,
  'uniswap_v3 mint': 4,
  'uniswap_v3 burn': 1,
  'uniswap_v3 collect': 2,
  'pancake_v3 swap': 2,
  'uniswap_v4 swap': 7,
  'balancer_v2 swap': 3,
  'solidly burn': 3,
  'lock increased': 3,
  // From contracts that are no lockers: one logs the same withdrawal event as Unicrypt, one with an indexed argument.
  'lock withdrawn': 1,
  shape: 1,
};

const nameOf = (fact: Fact | IgnoredReason): string => {
  if (typeof fact === 'string') return fact;
  if ('protocol' in fact) return `${fact.protocol} ${fact.kind}`;
  return 'act' in fact ? `${fact.kind} ${fact.act}` : fact.kind;
};

test('reads every market event of the recorded blocks as viem does, and as many as there are', {
  skip: existsSync(BLOCKS) ? false : 'SKIPPED: no recorded blocks at ../shared',
}, () => {
  const core = new Set<string>(Object.values(TOPIC));
  const others = EVENTS.filter(({ topic }) => !core.has(topic));
  const byTopic = new Map(others.map((event) => [event.topic, event]));
  const counts: Record<string, number> = {};
  for (const log of recordedLogs()) {
    const event = byTopic.get(log.topics[0] ?? '0x');
    if (!event) continue;
    const fact = event.decode(log);
    if (typeof fact === 'string') {
      // The signature is the same, other arguments are indexed.
      assert.throws(
        () => valuesByViem(event, log),
        (error) =>
          error instanceof DecodeLogDataMismatch || error instanceof DecodeLogTopicsMismatch,
      );
    } else assert.deepEqual(event.read(log), valuesByViem(event, log));
    const name = nameOf(fact);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  assert.deepEqual(counts, HELD);
});
