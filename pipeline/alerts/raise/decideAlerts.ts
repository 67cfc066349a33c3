import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { type Alert, SEVERITIES } from '../../../shared/messages/alertMessage.ts';
import type { AlertOverrides } from '../../../shared/messages/settingsMessage.ts';
import { isQuiet } from '../../../shared/rules/quietHours.ts';
import type { TokenProfile } from '../rules/rule.ts';
import { type Candidate, type Identity, identityOf, isStrongEnough } from './candidate.ts';
import { dedupeWindowS, isTooMild } from './settings.ts';

/** The profile of a token that is not in the index. */
const unknownToken = (token: Hex): TokenProfile => ({
  token,
  name: '',
  symbol: '',
  creator: ZERO_ADDRESS,
  createdTx: ZERO_HASH,
  totalSupply: null,
});

/** `0x1234…cdef`: a token's name until its real one has been read. */
const shortForm = (address: Hex): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

/** The alert that a candidate becomes. */
const buildAlert = (
  { finding, block, watch }: Candidate,
  identity: Identity,
  id: number,
  profile: TokenProfile,
  nowMs: number,
): Alert => ({
  ...identity,
  id,
  watchId: watch.id,
  severity: finding.severity,
  token: {
    address: finding.token,
    name: profile.name || shortForm(finding.token),
    symbol: profile.symbol,
  },
  details: { ...finding.details },
  recommendation: finding.recommendation,
  blockNumber: block.number,
  txHash: finding.txHash,
  createdAtMs: nowMs,
});

/**
 * The subject by which repetitions of an alert are recognised: its pool, its lock, the activity of a ring, the
 * imitating address, or the token itself.
 */
const subjectOf = ({ details, token }: Alert): string => {
  const { pool, lock, cluster_id: ring, activity, look_alike: deceiver } = details;
  if (typeof ring === 'string') return `${ring}:${String(activity)}:${token.address}`;
  if (typeof lock === 'string') return lock;
  if (typeof deceiver === 'string') return deceiver;
  return typeof pool === 'string' ? pool : token.address;
};

/** An alert, and whether it was raised in quiet hours: then nothing is ever sent for it. */
export interface KeptAlert {
  readonly alert: Alert;
  readonly isQuiet: boolean;
}

/** An alert in ClickHouse, possibly withdrawn. */
export interface StoredAlert extends KeptAlert {
  readonly version: number;
  readonly isWithdrawn: boolean;
}

/** Inputs of decisions besides the candidates. */
export interface DecisionContext {
  readonly chainId: number;
  /** Version of alerts raised in this epoch. */
  readonly version: number;
  readonly nowMs: number;
  /** Alerts of the candidates' families in their deduplication windows. */
  readonly recent: readonly StoredAlert[];
  readonly profiles: ReadonlyMap<string, TokenProfile>;
  /** The id at position `attempt` in the choices for an identity. */
  readonly alertId: (identity: Identity, timestampS: number, attempt: number) => number;
  readonly timeOfId: (id: number) => number;
}

/** What to write, and what to send: new alerts, and those written before a crash, unchanged. */
export interface AlertDecisions {
  readonly fresh: readonly KeptAlert[];
  readonly send: readonly StoredAlert[];
}

/**
 * Decides for each candidate, in order:
 * - with the token's profile the finding is void, or too weak for its item: nothing;
 * - already written and in force: sent again, because a crash may have prevented it, even if a reorg elsewhere
 *   followed;
 * - withdrawn by a later reorg: nothing, a redelivery cannot restore it;
 * - its item got an alert on the same subject within the window, at least as severe: nothing;
 * - else a new alert. If its block was orphaned and is canonical again, the old alert is raised again.
 */
export const decideAlerts = (
  candidates: readonly Candidate[],
  work: DecisionContext,
): AlertDecisions => {
  const known = knownAlerts(work.recent);
  const fresh: KeptAlert[] = [];
  const send: StoredAlert[] = [];
  for (const candidate of candidates) {
    const profile = profileOf(candidate, work);
    const adjusted = withTokenProfile(candidate, profile);
    if (!adjusted) continue;
    const identity = identityOf(adjusted, work.chainId);
    const id = idOf(identity, adjusted.block.timestampS, known, work);
    const stored = known.byId.get(keyOfId({ family: identity.family, id }));
    if (stored && !stored.isWithdrawn) send.push(stored);
    if (stored && (!stored.isWithdrawn || stored.version >= work.version)) continue;
    const alert = buildAlert(adjusted, identity, id, profile, work.nowMs);
    if (isRepeated(alert, known, adjusted.settings, work)) continue;
    const { severity } = alert;
    const kept = { alert, isQuiet: isQuiet(adjusted.settings.quiet_hours, severity, work.nowMs) };
    const raised = { ...kept, version: work.version, isWithdrawn: false };
    remember(known, raised);
    fresh.push(kept);
    send.push(raised);
  }
  return { fresh, send };
};

const profileOf = ({ finding }: Candidate, { profiles }: DecisionContext): TokenProfile =>
  profiles.get(finding.token) ?? unknownToken(finding.token);

/** The candidate adjusted by the token's profile; undefined if its item gets no alert for it. */
const withTokenProfile = (candidate: Candidate, profile: TokenProfile): Candidate | undefined => {
  const { finding: seen, watch, settings } = candidate;
  const finding = seen.withProfile ? seen.withProfile(profile, watch.type) : seen;
  if (!finding || isTooMild(settings, finding.severity)) return undefined;
  return isStrongEnough(finding, watch, settings) ? { ...candidate, finding } : undefined;
};

/** Alerts written before, and those decided here. */
interface Known {
  readonly byId: Map<string, StoredAlert>;
  readonly byIdentity: Map<string, number>;
  /** Alerts in force by subject. */
  readonly inForce: Map<string, Alert[]>;
}

const knownAlerts = (recent: readonly StoredAlert[]): Known => {
  const known: Known = { byId: new Map(), byIdentity: new Map(), inForce: new Map() };
  for (const stored of recent) remember(known, stored);
  return known;
};

const remember = ({ byId, byIdentity, inForce }: Known, stored: StoredAlert): void => {
  const { alert, isWithdrawn } = stored;
  byId.set(keyOfId(alert), stored);
  byIdentity.set(keyOfIdentity(alert), alert.id);
  if (isWithdrawn) return;
  const key = keyOfRepeat(alert);
  const others = inForce.get(key);
  if (others) others.push(alert);
  else inForce.set(key, [alert]);
};

const keyOfId = ({ family, id }: Pick<Alert, 'family' | 'id'>): string => `${id}:${family}`;

const keyOfIdentity = (one: Identity): string =>
  [
    one.family,
    one.chainId,
    one.blockHash,
    one.logIndex,
    one.watchId,
    one.type,
    one.token.address,
  ].join(':');

const keyOfRepeat = (alert: Alert): string =>
  [alert.family, alert.watchId, alert.chainId, alert.type, subjectOf(alert)].join(':');

const ID_ATTEMPTS_MAX = 1_000;

/** The id this alert has, else the first free one: the hashes of two alerts of a family may collide. */
const idOf = (
  identity: Identity,
  timestampS: number,
  { byId, byIdentity }: Known,
  { alertId }: DecisionContext,
): number => {
  const own = byIdentity.get(keyOfIdentity(identity));
  if (own !== undefined) return own;
  for (let attempt = 0; attempt < ID_ATTEMPTS_MAX; attempt += 1) {
    const id = alertId(identity, timestampS, attempt);
    if (!byId.has(keyOfId({ family: identity.family, id }))) return id;
  }
  throw new Error(`no free alert id in second ${timestampS} of family ${identity.family}`);
};

/** Whether an earlier alert on the same subject makes this one a repetition. */
const isRepeated = (
  alert: Alert,
  { inForce }: Known,
  settings: AlertOverrides,
  { timeOfId }: DecisionContext,
): boolean => {
  const earlier = inForce.get(keyOfRepeat(alert)) ?? [];
  return earlier.some((other) => {
    const ageS = timeOfId(alert.id) - timeOfId(other.id);
    const isNoWorse = SEVERITIES.indexOf(other.severity) >= SEVERITIES.indexOf(alert.severity);
    return ageS >= 0 && ageS < dedupeWindowS(settings) && isNoWorse;
  });
};
