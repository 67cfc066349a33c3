import type { Hex } from '../../../shared/chain/block.ts';
import { creatorRisk } from '../../../shared/rules/creatorRecord.ts';
import type { Evidence, Ring } from '../graph/ring.ts';
import type { TokenLoss } from '../wallets/tokenLoss.ts';

/** Links stored per ring: the strongest. */
const EVIDENCE_MAX = 1_000;

/** A wallet of a ring, as stored in the ring's row. */
export interface MemberRow {
  readonly wallet: Hex;
  readonly role: 'master' | 'puppet';
  /** 0 to 100. */
  readonly riskScore: number;
  /** Unix seconds. */
  readonly joinedAtS: number;
}

/** All stored data of one ring. */
export interface RingRow {
  readonly id: string;
  readonly name: string;
  readonly riskScore: number;
  readonly tokensCreated: number;
  readonly scams: number;
  readonly stolenUsd: number;
  readonly victims: number;
  /** Unix seconds. */
  readonly firstSeenS: number;
  readonly lastActivityS: number;
  readonly members: readonly MemberRow[];
  readonly evidence: readonly Evidence[];
}

/** When wallets were first and last active, Unix seconds. */
export type ActivityTimes = ReadonlyMap<Hex, { readonly firstS: number; readonly lastS: number }>;

/** Inputs of a ring's row besides the ring. */
export interface RingContext {
  readonly losses: ReadonlyMap<Hex, TokenLoss>;
  readonly activity: ActivityTimes;
  /** Chain time as of which the row is computed: new wallets joined at this time. */
  readonly nowS: number;
  /** Wallets that were in it before, with the times they joined. */
  readonly joinedAtS: ReadonlyMap<Hex, number>;
}

/** The ring as stored. Its risk is computed from its tokens: see `creatorRisk`. */
export const ringRow = (ring: Ring, context: RingContext): RingRow => {
  const { tokensCreated, scams } = ring.statistics;
  const losses = ring.tokens.flatMap(({ token }) => context.losses.get(token) ?? []);
  const times = ring.members.flatMap(({ wallet }) => context.activity.get(wallet) ?? []);
  const riskScore = creatorRisk({ scored: tokensCreated, scams });
  return {
    id: ring.id,
    name: ring.name,
    riskScore,
    tokensCreated,
    scams,
    stolenUsd: losses.reduce((sum, { stolenUsd }) => sum + stolenUsd, 0),
    victims: losses.reduce((sum, { victims }) => sum + victims, 0),
    firstSeenS: times.length > 0 ? Math.min(...times.map(({ firstS }) => firstS)) : context.nowS,
    lastActivityS: times.length > 0 ? Math.max(...times.map(({ lastS }) => lastS)) : context.nowS,
    members: ring.members.map(({ wallet, role }) => ({
      wallet,
      role: role === 'master' ? 'master' : 'puppet',
      riskScore,
      joinedAtS: context.joinedAtS.get(wallet) ?? context.nowS,
    })),
    evidence: ring.evidence.slice(0, EVIDENCE_MAX),
  };
};
