import type { Hex } from '../../shared/chain/block.ts';
import type { TermHit } from './search.ts';

/** A token that was found, and why. */
export interface RankedHit {
  readonly token: Hex;
  /** 0 to 1. */
  readonly relevance: number;
  readonly match: 'address' | 'symbol' | 'name';
}

/** Exact before prefix before inside; symbol before name; the rest of the range by closeness. */
const BASE: Record<TermHit['place'], Record<TermHit['field'], number>> = {
  exact: { symbol: 0.98, name: 0.95 },
  prefix: { symbol: 0.8, name: 0.7 },
  inside: { symbol: 0.5, name: 0.4 },
};
/** Added for a text that covers nearly the whole name. */
const CLOSENESS_MAX = 0.09;
const DIGITS = 4;

const relevanceOf = (hit: TermHit, length: number): number => {
  const closeness = hit.place === 'exact' ? 0 : CLOSENESS_MAX * (length / Math.max(1, hit.length));
  return Number((BASE[hit.place][hit.field] + closeness).toFixed(DIGITS));
};

const byRelevance = (a: RankedHit, b: RankedHit): number =>
  b.relevance - a.relevance || (a.token < b.token ? -1 : 1);

/**
 * Each token once, the most relevant first; equals by address.
 * @param found.addresses tokens whose address begins with what was searched.
 * @param found.length letters of the folded text.
 */
export const rankHits = (found: {
  addresses: readonly Hex[];
  isWholeAddress: boolean;
  terms: readonly TermHit[];
  length: number;
}): RankedHit[] => {
  const best = new Map<Hex, RankedHit>();
  const offer = (hit: RankedHit): void => {
    const known = best.get(hit.token);
    if (!known || known.relevance < hit.relevance) best.set(hit.token, hit);
  };
  const relevance = found.isWholeAddress ? 1 : BASE.prefix.symbol + CLOSENESS_MAX;
  for (const token of found.addresses) offer({ token, relevance, match: 'address' });
  for (const term of found.terms) {
    offer({
      token: term.token,
      relevance: relevanceOf(term, found.length),
      match: term.field,
    });
  }
  return [...best.values()].toSorted(byRelevance);
};
