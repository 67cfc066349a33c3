import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import { projectRoot } from '../platform/projectRoot.ts';
import { addressesOf } from './evmData.ts';

/** A log and its fact, both without their position in the block. */
export interface SampleLog {
  readonly event: string;
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly fact: object;
}

/** Logs of every event that is read, several for those with variants. */
export const SAMPLE_LOGS: readonly SampleLog[] = readFileSync(
  join(projectRoot(), 'shared/decode/testing/logs.jsonl'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as SampleLog);

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [one, two, three, four] = addressesOf(1, 2, 3, 4);
const inTransaction = { txHash: hash('a'), txIndex: 3 };
/** For facts that are logs; others have the log of their transaction. */
const place = { ...inTransaction, logIndex: 7 };

/** Facts of each kind and shape: those of logs, and those that come from no log, or from more than one. */
export const SAMPLE_FACTS: readonly Fact[] = [
  ...SAMPLE_LOGS.map(({ fact }) => ({ ...fact, ...place }) as Fact),
  { kind: 'nativeTransfer', from: one, to: two, value: '0xff', ...inTransaction },
  { kind: 'creation', contract: one, creator: two, ...inTransaction },
  { kind: 'failedSale', token: one, seller: two, router: three, ...inTransaction },
  { kind: 'priced', protocol: 'slipstream', pool: one, sqrtPriceX96: '0x7', tick: 5, ...place },
  {
    kind: 'lock',
    act: 'extended',
    locker: one,
    lockId: '0x0',
    asset: two,
    position: '0x9',
    owner: three,
    amount: '0x1',
    unlockAt: `0x${'f'.repeat(64)}`,
    market: four,
    ...place,
  },
];
