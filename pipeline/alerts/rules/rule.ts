import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Recommendation, Severity } from '../../../shared/messages/alertMessage.ts';
import type { AlertType, Sensitivity } from '../../../shared/messages/watchMessage.ts';
import type { PoolChange } from '../pools/poolChange.ts';

/** A block as the rules see it. */
export interface BlockView {
  readonly block: BlockFacts;
  /** What the block did to pools with a base token. */
  readonly pools: readonly PoolChange[];
  /** US dollars per raw unit of a base token, or null where nobody knows. */
  readonly usdPerUnit: (base: Hex) => number | null;
}

/** Numbers and texts of an alert's `details`. */
type Details = Readonly<Record<string, string | number | boolean | null>>;

/** Something a rule saw in a block, before it is asked who watches. */
export interface Finding {
  readonly type: AlertType;
  readonly token: Hex;
  /** What repeats are counted by: the pool, or the token itself. */
  readonly subject: Hex;
  /** Who did it: watched wallets among them are told. */
  readonly wallets: readonly Hex[];
  /** How strong it is, in the unit of the rule's presets. */
  readonly strength: number;
  readonly severity: Severity;
  readonly recommendation: Recommendation;
  readonly details: Details;
  /**
   * Payments in US dollars of which the creator's share goes into `creator_sold_usd`; null where the
   * price is unknown, absent where the rule does not count them.
   */
  readonly payouts?: readonly { readonly wallets: readonly Hex[]; readonly usd: number }[] | null;
  readonly txHash: Hex;
  readonly logIndex: number;
}

/** A pure rule: what in a block is worth an alert. */
export interface Rule {
  readonly type: AlertType;
  /** Strength from which a finding alerts, by the sensitivity of the watchlist item. */
  readonly presets: Readonly<Record<Sensitivity, number>>;
  /** Findings from the most sensitive preset on. */
  find(view: BlockView): Finding[];
}

/** For rules that alert whatever the sensitivity. */
export const ANY_STRENGTH: Rule['presets'] = { low: 0, medium: 0, high: 0 };
