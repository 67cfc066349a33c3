import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { toEventSelector } from 'viem';
import { projectRoot } from '../platform/projectRoot.ts';
import { decodeLog } from './decodeLog.ts';
import type { RawLog } from './rawBlock.ts';
import { factByViem, VIEM_EVENTS } from './testing/viemFacts.ts';

const BLOCKS = join(projectRoot(), '../shared/data/mainnet-blocks/blocks');

const recordedLogs = (): RawLog[] =>
  readdirSync(BLOCKS).flatMap((name) => {
    const { receipts } = JSON.parse(gunzipSync(readFileSync(join(BLOCKS, name))).toString()) as {
      receipts: { logs: RawLog[] }[];
    };
    return receipts.flatMap(({ logs }) => logs);
  });

/** What the recorded blocks hold beside Uniswap V2, by hand. A lending token of Aave logs three like Solidly's `Burn`. */
const HELD = {
  'uniswap_v3 swap': 145,
  'uniswap_v3 mint': 4,
  'uniswap_v3 burn': 1,
  'uniswap_v3 collect': 2,
  'pancake_v3 swap': 2,
  'uniswap_v4 swap': 7,
  'balancer_v2 swap': 3,
  'solidly burn': 3,
};

test('reads every market event of the recorded blocks as viem does, and as many as there are', {
  skip: existsSync(BLOCKS) ? false : 'SKIPPED: no recorded blocks at ../shared',
}, () => {
  const byTopic = new Map(VIEM_EVENTS.map((event) => [toEventSelector(event.abi), event]));
  const counts: Record<string, number> = {};
  for (const log of recordedLogs()) {
    const event = byTopic.get(log.topics[0] ?? '0x');
    if (!event) continue;
    const fact = decodeLog(log);
    assert.deepEqual(fact, factByViem(event, log));
    if (typeof fact === 'string' || !('protocol' in fact)) continue;
    const name = `${fact.protocol} ${fact.kind}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  assert.deepEqual(counts, HELD);
});
