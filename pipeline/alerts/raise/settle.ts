import { type Alert, SEVERITIES } from '../../../shared/messages/alertMessage.ts';
import { buildAlert, subjectOf, type TokenProfile } from './buildAlert.ts';
import { type Candidate, type Identity, identityOf } from './candidate.ts';

/** An alert as ClickHouse holds it, withdrawn ones included. */
export interface StoredAlert {
  readonly alert: Alert;
  readonly version: number;
  readonly isWithdrawn: boolean;
}

/** What `settle` works with beside the candidates. */
export interface Settlement {
  readonly chainId: number;
  /** Version that raises of this epoch carry. */
  readonly version: number;
  readonly nowMs: number;
  /** Alerts of the candidates' families in the deduplication window. */
  readonly recent: readonly StoredAlert[];
  readonly profiles: ReadonlyMap<string, TokenProfile>;
  /** The `attempt`-th choice of an id for an identity. */
  readonly alertId: (identity: Identity, timestampS: number, attempt: number) => number;
  readonly timeOfId: (id: number) => number;
}

/** What to write, and what to send: new alerts, and those written before a crash. */
export interface Settled {
  readonly fresh: readonly Alert[];
  readonly send: readonly Alert[];
}

/**
 * Chain seconds in which an item is not told again of the same thing, unless it got worse: the
 * default of `dedupe_window_seconds`.
 */
export const DEDUPE_WINDOW_S = 900;

/**
 * Decides for each candidate, in order:
 * - already written under this version: sent again, for a crash may have come between;
 * - withdrawn by a later reorg: nothing, a redelivery cannot bring it back;
 * - its item was told of the same subject within the window, not less severely: nothing;
 * - else a new alert.
 */
export const settle = (candidates: readonly Candidate[], work: Settlement): Settled => {
  const byId = new Map(work.recent.map((stored) => [keyOfId(stored.alert), stored]));
  const told = new Map<string, Alert[]>();
  for (const { alert, isWithdrawn } of work.recent) if (!isWithdrawn) remember(told, alert);
  const fresh: Alert[] = [];
  const send: Alert[] = [];
  for (const candidate of candidates) {
    const identity = identityOf(candidate, work.chainId);
    const id = freeId(identity, candidate.block.timestampS, byId, work);
    const stored = byId.get(keyOfId({ family: identity.family, id }));
    if (stored && stored.version >= work.version) {
      if (!stored.isWithdrawn) send.push(stored.alert);
      continue;
    }
    const alert = buildAlert(candidate, identity, id, work.profiles, work.nowMs);
    const earlier = told.get(keyOfRepeat(alert)) ?? [];
    if (earlier.some((other) => covers(other, alert, work.timeOfId))) continue;
    byId.set(keyOfId(alert), { alert, version: work.version, isWithdrawn: false });
    remember(told, alert);
    fresh.push(alert);
    send.push(alert);
  }
  return { fresh, send };
};

const keyOfId = ({ family, id }: Pick<Alert, 'family' | 'id'>): string => `${id}:${family}`;

const isSame = (a: Identity, b: Identity): boolean =>
  a.family === b.family &&
  a.chainId === b.chainId &&
  a.blockHash === b.blockHash &&
  a.logIndex === b.logIndex &&
  a.watchId === b.watchId &&
  a.type === b.type;

const ID_ATTEMPTS_MAX = 1_000;

/** The first id that is free or this alert's own: two alerts of a family may hash alike. */
const freeId = (
  identity: Identity,
  timestampS: number,
  known: ReadonlyMap<string, StoredAlert>,
  { alertId }: Settlement,
): number => {
  for (let attempt = 0; attempt < ID_ATTEMPTS_MAX; attempt += 1) {
    const id = alertId(identity, timestampS, attempt);
    const holder = known.get(keyOfId({ family: identity.family, id }));
    if (!holder || isSame(holder.alert, identity)) return id;
  }
  throw new Error(`no free alert id in second ${timestampS} of family ${identity.family}`);
};

const keyOfRepeat = (alert: Alert): string =>
  [alert.family, alert.watchId, alert.chainId, alert.type, subjectOf(alert)].join(':');

const remember = (told: Map<string, Alert[]>, alert: Alert): void => {
  const key = keyOfRepeat(alert);
  const known = told.get(key);
  if (known) known.push(alert);
  else told.set(key, [alert]);
};

/** Whether an earlier alert of the same subject makes this one a repetition. */
const covers = (earlier: Alert, alert: Alert, timeOfId: Settlement['timeOfId']): boolean => {
  const ageS = timeOfId(alert.id) - timeOfId(earlier.id);
  const isNoWorse = SEVERITIES.indexOf(earlier.severity) >= SEVERITIES.indexOf(alert.severity);
  return ageS >= 0 && ageS < DEDUPE_WINDOW_S && isNoWorse;
};
