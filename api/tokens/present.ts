import type { VerdictHolders, VerdictLock } from '../../shared/messages/verdictDoc.ts';
import { adviceOf, reasonsOf } from '../../shared/rules/advice.ts';
import { isoTime } from '../../shared/rules/isoTime.ts';
import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { checksIn } from '../reports/explanation.ts';
import { reasonOfChange } from './evidenceGroups.ts';
import type {
  HoldersExperience,
  Reason,
  TokenB,
  TokenDetail,
  TokenListEntry,
  TokenListEntryB,
  TokenLock,
  TokenLocks,
  VerdictHistoryEntry,
} from './schema.ts';
import type { Verdict, VerdictSummary } from './verdict.ts';
import type { PastVerdict } from './verdictHistory.ts';

/** A verdict as a list entry: fractions become whole percents. */
export const tokenListEntryA = (verdict: VerdictSummary): TokenListEntry => ({
  address: verdict.token,
  name: verdict.name,
  symbol: verdict.symbol,
  prediction: verdict.prediction,
  confidence: Math.round(verdict.confidence * 100),
  risk_score: Math.round(verdict.riskScore),
  ...adviceOf(verdict),
  model: verdict.model,
  created_at: isoTime(verdict.createdAtS * 1000),
  analyzed_at: isoTime(verdict.analyzedAtMs),
});

const tokenLock = ({
  locked_at_s: lockedAtS,
  unlock_at_s: unlockAtS,
  ...lock
}: VerdictLock): TokenLock => ({
  ...lock,
  locked_at: isoTime(lockedAtS * 1_000),
  unlock_at: isoTime(unlockAtS * 1_000),
});

const holdersExperience = ({
  last_sale_s: lastSaleS,
  trials,
  ...experience
}: VerdictHolders): HoldersExperience => ({
  ...experience,
  last_sale_at: lastSaleS === null ? null : isoTime(lastSaleS * 1_000),
  trials: trials && { tried: trials.sold.length + trials.refused.length, ...trials },
});

/** The locks of a token as of its verdict. */
export const tokenLocks = ({ token, doc }: Verdict): TokenLocks => {
  const { lp_locked_share, lp_unlock_at, supply_locked_share } = doc.features as Record<
    string,
    number | undefined
  >;
  return {
    address: token,
    lp_locked_share: lp_locked_share ?? null,
    lp_unlock_at: lp_unlock_at === undefined ? null : isoTime(lp_unlock_at * 1_000),
    supply_locked_share: supply_locked_share ?? null,
    locks: (doc.locks ?? []).map(tokenLock),
  };
};

/** A verdict with its features, attributions, checks and provenance. */
export const tokenDetailA = (verdict: Verdict): TokenDetail => {
  const { features, shap_values, base_value, creator, checks, holders } = verdict.doc;
  const { locks, frameworks, provenance, market } = verdict.doc;
  return {
    ...tokenListEntryA(verdict),
    features,
    shap_values,
    creator,
    base_value,
    reasons: reasonsIn(verdict, 'en'),
    checks,
    ...(holders && { holders: holdersExperience(holders) }),
    locks: (locks ?? []).map(tokenLock),
    ...(frameworks && { frameworks }),
    provenance,
    ...(market && { market }),
    cluster_id: verdict.clusterId,
  };
};

/** The reasons for the advice on a token, in a language. */
export const reasonsIn = (verdict: Verdict, language: Language): Reason[] => {
  const checks = new Map(checksIn(verdict.doc, language).map(({ id, reason }) => [id, reason]));
  return reasonsOf(verdict.doc, adviceOf(verdict).advice).map(({ id, reason }) => ({
    check: id,
    text: checks.get(id) ?? reason,
  }));
};

/** The confidence of style B: that of style A, a whole percent, as a fraction. */
export const confidenceB = (confidence: number): number => Math.round(confidence * 100) / 100;

/** A risk score with two decimals: levels are derived from this number, so that both always agree. */
export const riskScoreB = (riskScore: number): number => Math.round(riskScore * 100) / 100;

/** A verdict in style B. */
export const tokenB = (verdict: VerdictSummary): TokenB => {
  const riskScore = riskScoreB(verdict.riskScore);
  return {
    address: verdict.token,
    name: verdict.name,
    symbol: verdict.symbol,
    is_rug: verdict.prediction === 'SCAM',
    confidence: confidenceB(verdict.confidence),
    risk_score: riskScore,
    risk_level: riskLevel(riskScore),
    ...adviceOf(verdict),
  };
};

/** A verdict as an entry of a style B list. */
export const tokenListEntryB = (verdict: VerdictSummary): TokenListEntryB => ({
  ...tokenB(verdict),
  created_at: isoTime(verdict.createdAtS * 1000),
});

/** The heaviest changes are the reason; the many light ones are noise. */
const CHANGES_MAX = 10;
/** Least log-odds that count as a change. */
const DELTA_MIN = 0.005;
const DIGITS = 4;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

type Basis = Pick<PastVerdict, 'features' | 'contributions'>;

/** What moved the verdict since the previous one, heaviest first. */
const changesBetween = (before: Basis, after: Basis): VerdictHistoryEntry['changed'] => {
  const names = new Set([
    ...Object.keys(before.contributions),
    ...Object.keys(after.contributions),
  ]);
  return [...names]
    .map((feature) => ({
      feature,
      from: before.features[feature] ?? null,
      to: after.features[feature] ?? null,
      contribution_delta: rounded(
        (after.contributions[feature] ?? 0) - (before.contributions[feature] ?? 0),
      ),
    }))
    .filter(({ contribution_delta: delta }) => Math.abs(delta) >= DELTA_MIN)
    .toSorted((a, b) => Math.abs(b.contribution_delta) - Math.abs(a.contribution_delta))
    .slice(0, CHANGES_MAX);
};

/** A past verdict with the changes since the previous one, if there is one. */
export const verdictHistoryEntry = (
  verdict: PastVerdict,
  before: PastVerdict | undefined,
): VerdictHistoryEntry => ({
  at: isoTime(verdict.analyzedAtMs),
  block_number: verdict.blockNumber,
  prediction: verdict.prediction,
  is_rug: verdict.prediction === 'SCAM',
  confidence: confidenceB(verdict.confidence),
  risk_score: riskScoreB(verdict.riskScore),
  model: verdict.model,
  reason: before ? reasonOfChange(before.contributions, verdict.contributions) : null,
  changed: before ? changesBetween(before, verdict) : [],
});

/** What distinguishes a token's verdict from the next: the version for ETags. */
export const verdictVersion = ({ token, blockNumber, analyzedAtMs }: VerdictSummary): string =>
  `${token}-${blockNumber}.${analyzedAtMs}`;
