import type { Hex } from '../../../shared/chain/block.ts';

/**
 * Why two wallets are considered to belong to the same party. See CLUSTERS.md for weights and their sources.
 */
export const EVIDENCE_RULES = [
  'same_deployer',
  'deployer_funded',
  'common_funder',
  'relayed_funds',
  'shared_proceeds',
  'shared_lp_recipient',
  'same_block_snipe',
  'handed_to_seller',
  'same_bytecode',
] as const;
export type EvidenceRule = (typeof EVIDENCE_RULES)[number];

/** Whether a wallet, by its number, is in the growing ring. */
export type IsMember = (wallet: number) => boolean;

/** One link of a ring. `same_deployer` has the deployer at both ends. */
export interface Evidence {
  readonly rule: EvidenceRule;
  readonly from: Hex;
  readonly to: Hex;
  /**
   * Probability, at even prior odds, that both ends belong to the same party, given this link alone: 0 to 1.
   */
  readonly confidence: number;
  /** The transaction that shows it; null if the data has none. */
  readonly tx: Hex | null;
  readonly block: number;
}

/**
 * The role of a wallet in its ring, the first that applies: `master` (one per ring: the wallet on which most of the
 * ring depends), `creator` (deployed a token), `funder` (initial funding of two or more members), `collector`
 * (proceeds or liquidity of two or more members), `relay` (passes money on), `puppet` (all others).
 */
export const RING_ROLES = ['master', 'creator', 'funder', 'collector', 'relay', 'puppet'] as const;
export type RingRole = (typeof RING_ROLES)[number];

/** A wallet of a ring. */
export interface RingMember {
  readonly wallet: Hex;
  readonly role: RingRole;
}

/** Wallets of the same party with at least one scam deployment. */
export interface Ring {
  /** `cl_` and 16 hexadecimal digits; kept through growth, merges and splits. */
  readonly id: string;
  /** A readable name, derived from the id. */
  readonly name: string;
  /** Sorted by address; at least two. */
  readonly members: readonly RingMember[];
  /** Tokens deployed by members, sorted by address. */
  readonly tokens: readonly { readonly token: Hex; readonly isScam: boolean }[];
  /** The strongest first. */
  readonly evidence: readonly Evidence[];
  readonly statistics: {
    readonly tokensCreated: number;
    readonly scams: number;
    /** Block of the first link or deployment. */
    readonly firstBlock: number;
  };
}

/** What a step changed. A ring in `changed` is complete; an id is never in both lists. */
export interface RingChanges {
  /** New rings and rings whose members, roles, tokens or evidence differ from before. */
  readonly changed: readonly Ring[];
  /** Ids that no ring has any more; `mergedInto` is the surviving ring, null if the ring dissolved. */
  readonly removed: readonly { readonly id: string; readonly mergedInto: string | null }[];
}
