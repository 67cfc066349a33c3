import { foldText } from './foldText.ts';
import { RISK_LEVELS_FROM } from './riskLevel.ts';

/** What lists, totals and searches find a token by. */
export interface ListedVerdict {
  readonly name: string;
  readonly symbol: string;
  readonly prediction: 'SCAM' | 'LEGIT';
  /** 0 to 1. */
  readonly confidence: number;
  /** 0 to 100. */
  readonly riskScore: number;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** Unix milliseconds. */
  readonly analyzedAtMs: number;
  /** Ids of the checks that fail, sorted. */
  readonly failed: readonly string[];
}

/** What a verdict replaces, and what by; undefined: the token has none. */
export interface Replacement {
  readonly previous: ListedVerdict | undefined;
  readonly current: ListedVerdict | undefined;
}

/** What `token_sort_index` is sorted by, as its column `sort` numbers it. */
export const SORTS = {
  created_at: 1,
  confidence: 2,
  risk_score: 3,
  analyzed_at: 4,
  symbol: 5,
  check: 6,
  symbol_term: 7,
  name_term: 8,
} as const;

/** The key of a row of `token_sort_index`, but chain and token. */
export interface TokenPlace {
  readonly sort: keyof typeof SORTS;
  /** Of sorts by number. */
  readonly value: number;
  /** Of sorts by text. */
  readonly text: string;
  readonly isScam: number;
  /** Confidence as shown, percent. */
  readonly percent: number;
  /** Risk score as shown, hundredths of a percent. */
  readonly risk: number;
  /** Unix seconds. */
  readonly createdAtS: number;
}

/** Whether places are found by a folded symbol or name: these are not filtered, and show nothing. */
export const isTerm = ({ sort }: Pick<TokenPlace, 'sort'>): boolean =>
  sort === 'symbol_term' || sort === 'name_term';

const FILTERED_BY_NOTHING = { isScam: 0, percent: 0, risk: 0, createdAtS: 0 };

/** A fraction in hundredths, as the columns `percent` and `risk` of `token_verdicts` have it. */
const hundredths = (value: number): number => Math.floor(value * 100 + 0.5);

const filteredBy = ({ prediction, confidence, riskScore, createdAtS }: ListedVerdict) => ({
  isScam: prediction === 'SCAM' ? 1 : 0,
  percent: hundredths(confidence),
  risk: hundredths(riskScore),
  createdAtS,
});

const placesOf = (verdict: ListedVerdict | undefined): TokenPlace[] => {
  if (!verdict) return [];
  const shown = filteredBy(verdict);
  const { createdAtS, confidence, riskScore, analyzedAtMs, symbol, name, failed } = verdict;
  return [
    { sort: 'created_at', value: createdAtS, text: '', ...shown },
    { sort: 'confidence', value: confidence, text: '', ...shown },
    { sort: 'risk_score', value: riskScore, text: '', ...shown },
    { sort: 'analyzed_at', value: analyzedAtMs, text: '', ...shown },
    { sort: 'symbol', value: 0, text: symbol, ...shown },
    ...failed.map((id) => ({ sort: 'check' as const, value: 0, text: id, ...shown })),
    { sort: 'symbol_term', value: 0, text: foldText(symbol), ...FILTERED_BY_NOTHING },
    { sort: 'name_term', value: 0, text: foldText(name), ...FILTERED_BY_NOTHING },
  ];
};

const byKey = (places: readonly TokenPlace[]): Map<string, TokenPlace> =>
  new Map(
    places.map((place) => {
      const { sort, value, isScam, percent, risk, createdAtS, text } = place;
      return [`${sort} ${value} ${isScam} ${percent} ${risk} ${createdAtS} ${text}`, place];
    }),
  );

/**
 * The places that a token has now and those that it left. Every verdict rewrites what its places show; terms show
 * nothing and are written where they are new.
 */
export const movedPlaces = ({
  previous,
  current,
}: Replacement): { readonly written: TokenPlace[]; readonly left: TokenPlace[] } => {
  const [before, now] = [byKey(placesOf(previous)), byKey(placesOf(current))];
  return {
    written: [...now].flatMap(([key, place]) => (isTerm(place) && before.has(key) ? [] : place)),
    left: [...before].flatMap(([key, place]) => (now.has(key) ? [] : place)),
  };
};

/** What `token_totals` counts tokens by, as its column `span` numbers it. */
export const SPANS = { all: 1, risk: 2, month: 3, day: 4, check: 5 } as const;

/** The key of a row of `token_totals`, but the chain. */
export interface TokenCount {
  readonly span: keyof typeof SPANS;
  /** First day of the month or day, days since 1970; 0 for other spans. */
  readonly startDay: number;
  /** Hundredths of a percent, of span `risk`. */
  readonly risk: number;
  /** Of span `check`. */
  readonly checkId: string;
  readonly isScam: number;
  /** Index in `RISK_LEVELS`. */
  readonly level: number;
  readonly percent: number;
}

const S_PER_DAY = 86_400;
const MS_PER_DAY = S_PER_DAY * 1_000;

const monthOf = (day: number): number => {
  const date = new Date(day * MS_PER_DAY);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / MS_PER_DAY;
};

const countsOf = (verdict: ListedVerdict | undefined): TokenCount[] => {
  if (!verdict) return [];
  const { isScam, percent, risk } = filteredBy(verdict);
  const level = RISK_LEVELS_FROM.findLastIndex((from) => risk >= from);
  const day = Math.floor(verdict.createdAtS / S_PER_DAY);
  const cell = { startDay: 0, risk: 0, checkId: '', isScam, level, percent };
  return [
    { span: 'all', ...cell },
    { span: 'risk', ...cell, risk },
    { span: 'month', ...cell, startDay: monthOf(day) },
    { span: 'day', ...cell, startDay: day },
    ...verdict.failed.map((checkId) => ({ span: 'check' as const, ...cell, checkId })),
  ];
};

/** By how much replacements change the number of tokens of each kind; those that stay the same are left out. */
export const changedCounts = (
  replacements: readonly Replacement[],
): (TokenCount & { readonly tokens: number })[] => {
  const sums = new Map<string, TokenCount & { tokens: number }>();
  const add = (counts: readonly TokenCount[], tokens: number): void => {
    for (const count of counts) {
      const { span, startDay, risk, checkId, isScam, level, percent } = count;
      const key = `${span} ${startDay} ${risk} ${isScam} ${level} ${percent} ${checkId}`;
      sums.set(key, { ...count, tokens: (sums.get(key)?.tokens ?? 0) + tokens });
    }
  };
  for (const { previous, current } of replacements) {
    add(countsOf(previous), -1);
    add(countsOf(current), 1);
  }
  return [...sums.values()].filter(({ tokens }) => tokens !== 0);
};
