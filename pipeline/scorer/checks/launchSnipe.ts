import { sentence } from '../../../shared/sentences/sentence.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckResult, receiptRequest } from './checkResult.ts';

/** Share of all tokens that, bought before anybody else could, leaves the price to the buyer. */
const SNIPED_SHARE_MIN = 0.1;

const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;

/**
 * Whether a large part of the tokens was bought in the very block in which the market opened, and how much of that by the creator. Said beside
 * the verdict and weighed by nothing: no recorded outcome shows yet how often frauds do it.
 */
export const launchSnipe = ({ launch }: CheckInput): CheckResult => {
  const check = { id: 'launch_snipe', severity: 'warning' } as const;
  if (!launch) return { ...check, status: 'not_applicable', reason: sentence('nothingSniped') };
  const { sniped, byCreator, creator, block, txHash } = launch;
  const value = rounded(sniped);
  const values = { share: sniped, own: byCreator, holds: creator, block: String(block) };
  const reason = sentence('sniped', values);
  const note = sentence('snipedHere');
  const request = receiptRequest(txHash);
  const evidence = [{ kind: 'tx' as const, ref: txHash, note, request }];
  const status = sniped >= SNIPED_SHARE_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};
