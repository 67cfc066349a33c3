import type { Hex } from '../../../shared/chain/block.ts';
import { word } from '../../../shared/testing/evmData.ts';
import type { ProbeStage } from '../contract/probePlan.ts';

/** An address of one digit. */
export const address = (digit: string): Hex => `0x${digit.repeat(40)}`;

/** A purchase of 10,000 tokens on a pool of Uniswap V2. */
export const PROBE_STAGE: ProbeStage = {
  token: address('1'),
  market: { kind: 'reserves', token: address('1'), pool: address('2'), base: address('3') },
  head: { number: 7, timestampS: 1_000 },
  trader: address('4'),
  router: address('5'),
  size: 500n,
  amount: 10_000n,
};

/** A simulated call that answers with words. */
export const ok = (...values: number[]) => ({
  status: '0x1',
  returnData: `0x${values.map(word).join('')}`,
  gasUsed: '0xea60',
});
export const REVERTED = { status: '0x0', returnData: '0x', gasUsed: '0x1' };
