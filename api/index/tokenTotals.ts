import { RISK_LEVELS_FROM } from '../../shared/rules/riskLevel.ts';
import type { Bounds } from './rowKinds.ts';

/** Properties that totals distinguish, besides risk and time. */
export interface TotalTraits {
  readonly isScam: boolean;
  /** Confidence in whole percents. */
  readonly percent: number;
  readonly level: number;
}

/**
 * Rows for which the counts cannot decide whether they are within the time bounds: between two times, both inclusive,
 * Unix seconds.
 */
type CountBetween = (fromS: number, toS: number) => number;

const PERCENTS = 101;
/** Hundredths from 0 to 100. */
const RISKS = 10_001;
const LEVELS = RISK_LEVELS_FROM.length;
/**
 * Seconds per time span (three days): some 600 spans in five years. With ten million tokens a span has some 17,000,
 * which takes a millisecond to count.
 */
const SPAN_S = 262_144;

/** One counter per combination of properties. */
const placeOf = ({ isScam, percent }: Omit<TotalTraits, 'level'>): number =>
  Number(isScam) * PERCENTS + percent;

/** Number of combinations, and the risks that each can have. */
const ALL = [false, true].flatMap((isScam) =>
  Array.from({ length: PERCENTS }, (_, percent) =>
    RISK_LEVELS_FROM.map((from, level) => {
      const to = (RISK_LEVELS_FROM[level + 1] ?? RISKS) - 1;
      return { isScam, percent, level, risk: [from, to] as Bounds };
    }),
  ).flat(),
);

const sumOf = (counts: Uint32Array, from: number, to: number): number => {
  let sum = 0;
  for (let at = from; at <= to; at += 1) sum += counts[at] ?? 0;
  return sum;
};

/**
 * Counts of tokens by filterable properties: a total with bounds of risk or of time costs up to a millisecond,
 * however many tokens there are. Testing all of them takes 7 ms per million.
 */
export const createTokenTotals = () => {
  const byRisk = new Uint32Array(2 * PERCENTS * RISKS);
  /** By number of the span. */
  const byTime = new Map<number, Uint32Array>();
  const ofSpan = (span: number): Uint32Array => {
    const counts = byTime.get(span) ?? new Uint32Array(2 * PERCENTS * LEVELS);
    byTime.set(span, counts);
    return counts;
  };
  /** @param risk in hundredths */
  const change = (by: 1 | -1, traits: TotalTraits, risk: number, createdAtS: number): void => {
    const place = placeOf(traits);
    const atRisk = place * RISKS + risk;
    byRisk[atRisk] = (byRisk[atRisk] ?? 0) + by;
    const counts = ofSpan(Math.floor(createdAtS / SPAN_S));
    const atTime = place * LEVELS + traits.level;
    counts[atTime] = (counts[atTime] ?? 0) + by;
  };
  return {
    change,
    /** How many accepted tokens have a risk within bounds, in hundredths. */
    withRisk: (accepts: (traits: TotalTraits) => boolean, [least, most]: Bounds): number => {
      let total = 0;
      for (const traits of ALL) {
        if (!accepts(traits)) continue;
        const [from, to] = traits.risk;
        const start = placeOf(traits) * RISKS;
        total += sumOf(byRisk, start + Math.max(from, least), start + Math.min(to, most));
      }
      return total;
    },
    /** How many accepted tokens were created within bounds, in Unix seconds. */
    withTime: (
      accepts: (traits: TotalTraits) => boolean,
      [fromS, toS]: Bounds,
      countBetween: CountBetween,
    ): number => {
      const places = ALL.filter(accepts).map((traits) => placeOf(traits) * LEVELS + traits.level);
      let total = 0;
      for (const [span, counts] of byTime) {
        const [first, last] = [span * SPAN_S, (span + 1) * SPAN_S - 1];
        if (last < fromS || first > toS) continue;
        if (first >= fromS && last <= toS) {
          for (const place of places) total += counts[place] ?? 0;
        } else {
          total += countBetween(Math.max(first, fromS), Math.min(last, toS));
        }
      }
      return total;
    },
  };
};
