import type { Hex } from '../../shared/chain/block.ts';
import type { AlertHistoryPage, AlertPage, FamilyAlert } from '../alerts/queries.ts';
import type { Observation } from '../health/judgeHealth.ts';

import type { Examined } from '../search/examineTokens.ts';
import type { Traits } from '../search/traits.ts';
import type { GlobalStats } from '../statistics/queries.ts';
import type { VerdictPage } from '../tokens/listVerdicts.ts';
import type { VerdictFilter } from '../tokens/tokenFilter.ts';
import type { Verdict, VerdictSummary } from '../tokens/verdict.ts';
import type { HistoryPage, PastVerdict } from '../tokens/verdictHistory.ts';

/** Verdicts in force. */
export interface Tokens {
  /** As it is stored now. */
  find(token: Hex): Promise<Verdict | undefined>;
  /** The same, or what was stored a moment ago: `VERDICT_KEPT_MS_MAX`. */
  findRecent(token: Hex): Promise<Verdict | undefined>;
  /** Verdicts of those tokens that have one, in any order. */
  findMany(tokens: readonly Hex[]): Promise<VerdictSummary[]>;
  list(page: VerdictPage): Promise<VerdictSummary[]>;
  count(filter: VerdictFilter): Promise<number>;
  /** Those of a list that have some traits, or a part of them. */
  examine(page: VerdictPage, traits: Traits): Promise<Examined>;
}

/** Alerts of key families. */
export interface Alerts {
  list(page: AlertPage): Promise<{ alerts: FamilyAlert[]; total: number; unread: number }>;
  /** Newest first, read ones included. */
  history(page: AlertHistoryPage): Promise<{ alerts: FamilyAlert[]; total: number }>;
  /** Whether the family ever had the alert, withdrawn or not. */
  isKnown(family: string, id: number): Promise<boolean>;
  /** Resolves to false where the family has no such alert. */
  markRead(family: string, id: number): Promise<boolean>;
}

/** Numbers about the whole service. */
export interface Stats {
  read(): Promise<GlobalStats>;
}

/** The state of what the API depends on. */
export interface Health {
  /** Dependencies without which nothing can be answered, asked a moment ago at most, within a short time. */
  needed(): Promise<Pick<Observation['checks'], 'redis' | 'clickhouse'>>;
  /** All dependencies, in the same way. */
  checks(): Promise<Observation['checks']>;
  /** All that health is judged by. */
  observe(): Promise<Observation>;
}

/** Verdicts of the past. */
export interface History {
  /** Newest first. */
  list(token: Hex, page: HistoryPage): Promise<PastVerdict[]>;
  /** How many there are, as far as they are counted. */
  count(token: Hex): Promise<number>;
}
