import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { JudgedGroup, ScoringRequest, StoredBlock, TokenJudge } from './tokenScorer.ts';

/** Another process that makes verdicts for this one. */
export interface JudgeHelper {
  readonly id: string;
  /** @throws RetryableError where it is away, late or of another release. */
  judge(part: {
    readonly requests: readonly ScoringRequest[];
    readonly stored: StoredBlock;
    readonly isLive: boolean;
  }): Promise<JudgedGroup>;
}

/** Tokens handed out together: fewer cost more in questions to the database than they save. */
const PART_TOKENS_MIN = 10;
/** Parts a judge gets of a group, so that a fast one does more of them than a slow one. */
const PARTS_PER_JUDGE = 2;

const inParts = (requests: readonly ScoringRequest[], judges: number): ScoringRequest[][] => {
  const even = Math.ceil(requests.length / (judges * PARTS_PER_JUDGE));
  const size = Math.max(PART_TOKENS_MIN, even);
  const parts: ScoringRequest[][] = [];
  for (let at = 0; at < requests.length; at += size) parts.push(requests.slice(at, at + size));
  return parts;
};

const joined = (groups: readonly JudgedGroup[]): JudgedGroup => ({
  verdicts: groups.flatMap(({ verdicts }) => verdicts),
  judgements: groups.flatMap(({ judgements }) => judgements),
  gone: groups.flatMap(({ gone }) => gone),
  messages: groups.flatMap(({ messages }) => messages),
  transfers: new Map(groups.flatMap(({ transfers }) => [...transfers])),
});

/**
 * A judge that shares its work with whoever is there. It waits for all parts, and only the caller
 * stores them: what a helper sends late is never looked at, and what one did not do is done here.
 */
export const createSharedJudge =
  (ports: {
    readonly local: TokenJudge;
    readonly helpers: () => readonly JudgeHelper[];
    /** Whether the node's head says something about the facts at hand. */
    readonly isLive: () => boolean;
    readonly logger: Logger;
  }): TokenJudge =>
  async (chainId, requests, stored) => {
    const helpers = ports.helpers();
    const parts = inParts(requests, helpers.length + 1);
    if (helpers.length === 0 || parts.length === 1) return ports.local(chainId, requests, stored);
    const judged: JudgedGroup[] = [];
    const work = async (
      judge: (part: readonly ScoringRequest[]) => Promise<JudgedGroup>,
    ): Promise<void> => {
      for (let part = parts.shift(); part; part = parts.shift()) {
        const taken = part;
        const group = await judge(taken).catch((error: unknown) => {
          parts.push(taken);
          throw error;
        });
        judged.push(group);
      }
    };
    const isLive = ports.isLive();
    const help = async (helper: JudgeHelper): Promise<void> => {
      try {
        await work((part) => helper.judge({ requests: part, stored, isLive }));
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        ports.logger.warn({ helper: helper.id }, `helper is away: ${errorMessage(error)}`);
      }
    };
    const workHere = (): Promise<void> => work((part) => ports.local(chainId, part, stored));
    const ends = await Promise.allSettled([workHere(), ...helpers.map(help)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    // Of a helper that went away while this process had nothing left to do.
    await workHere();
    return joined(judged);
  };
