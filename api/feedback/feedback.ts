import type { Hex } from '../../shared/chain/block.ts';

export const FEEDBACK_KINDS = ['false_positive', 'false_negative'] as const;
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];
export const FEEDBACK_STATES = ['open', 'accepted', 'rejected'] as const;

/** A disputed verdict. */
export interface FeedbackItem {
  readonly id: string;
  readonly family: string;
  readonly address: Hex;
  readonly kind: FeedbackKind;
  readonly status: (typeof FEEDBACK_STATES)[number];
  readonly details: string;
  /** E-mail address to answer to; never shown again. */
  readonly contact: string;
  readonly resolution: string | null;
  readonly createdAtMs: number;
  readonly resolvedAtMs: number | null;
}

/** Disputed verdicts of key families. */
export interface Feedback {
  add(
    item: Pick<FeedbackItem, 'family' | 'address' | 'kind' | 'details' | 'contact'>,
  ): Promise<FeedbackItem>;
  find(family: string, id: string): Promise<FeedbackItem | undefined>;
}
