import { sentence } from '../../../shared/sentences/sentence.ts';
import type { CheckInput } from './checkInput.ts';
import { type CheckResult, receiptRequest } from './checkResult.ts';

/** Recipients from which it is spread wide, and the share of all recipients that did not come for it. */
const UNASKED_MIN = 1_000;
const UNASKED_SHARE_MIN = 0.5;

/**
 * Whether a token without trades was sent to people who never asked for it: in a transaction that gives equal amounts to
 * many, at most one of them can be who sent it.
 */
export const sentUnasked = ({ spread }: CheckInput): CheckResult => {
  const check = { id: 'sent_unasked', severity: 'warning' } as const;
  if (!spread) return { ...check, status: 'not_applicable', reason: sentence('spreadUnread') };
  const { recipients, unasked, batches, largest_batch: largest } = spread;
  const reason = sentence('sentUnasked', { unasked, recipients });
  if (unasked < UNASKED_MIN || unasked < UNASKED_SHARE_MIN * recipients) {
    return { ...check, status: 'pass', value: unasked, reason };
  }
  const note = sentence('largestBatch', { batches });
  const evidence = [{ kind: 'tx' as const, ref: largest, note, request: receiptRequest(largest) }];
  return { ...check, status: 'fail', value: unasked, reason, evidence };
};
