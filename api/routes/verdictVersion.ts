import type { VerdictSummary } from '../queries/verdict.ts';

/** What tells one verdict of a token from the next: the version of whatever shows it. */
export const verdictVersion = ({ token, blockNumber, analyzedAtMs }: VerdictSummary): string =>
  `${token}-${blockNumber}.${analyzedAtMs}`;
