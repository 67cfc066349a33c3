import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Recommendation, Severity } from '../../../shared/messages/alertMessage.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { AlertThresholds } from '../../../shared/messages/settingsMessage.ts';
import type { AlertType, Sensitivity, WatchItem } from '../../../shared/messages/watchMessage.ts';
import type { AlertDetail } from '../../../shared/webhooks/alertDetailKinds.ts';
import type { Suspect } from '../counterparties/counterparties.ts';
import type { PoolChange } from '../pools/poolChange.ts';

/** A block as input of the rules. */
export interface BlockView {
  readonly chainId: number;
  readonly block: BlockFacts;
  /** Changes of pools with a base token in the block. */
  readonly pools: readonly PoolChange[];
  /** Movements with addresses that look like counterparties of watched wallets. */
  readonly suspects: readonly Suspect[];
  /** US dollars per raw unit of a base token, or null if unknown. */
  readonly usdPerUnit: (base: Hex) => number | null;
}

/**
 * Changes of markets that count for their token: changes of a small market beside a larger one raise no alert.
 */
export const mainPools = ({ pools }: BlockView): readonly PoolChange[] =>
  pools.filter(({ isMinor }) => !isMinor);

export const tokenProfileSchema = z.object({
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  /** The transaction in which the token was found. */
  createdTx: hashSchema,
  /** Raw units when the token was found; null if the contract did not report it. */
  totalSupply: z.number().nullable(),
});
/** A token in the index. Unknown fields are empty texts and zero addresses. */
export type TokenProfile = Readonly<z.infer<typeof tokenProfileSchema>>;

/** Numbers and texts of an alert's `details`; `DETAIL_KINDS` gives their types. */
export type Details = Readonly<Partial<Record<AlertDetail, string | number | boolean | null>>>;

/** Something that a rule found, before watchlists are matched. */
export interface Finding {
  readonly type: AlertType;
  readonly token: Hex;
  /** Who caused it: watchers of these wallets get an alert. */
  readonly wallets: readonly Hex[];
  /** Its strength, in the unit of the rule's threshold. */
  readonly strength: number;
  readonly severity: Severity;
  readonly recommendation: Recommendation;
  readonly details: Details;
  readonly txHash: Hex;
  /** Position of the log in its block; without a log, a number that distinguishes findings of a block. */
  readonly logIndex: number;
  /**
   * The finding adjusted by index data, for an item that watches the token or a wallet; null if it is void. The
   * strength does not increase.
   */
  readonly withProfile?: (profile: TokenProfile, watchedAs: WatchItem['type']) => Finding | null;
}

/** The strength from which findings of a type raise an alert, by an item's thresholds and sensitivity. */
export type Threshold = (thresholds: AlertThresholds, sensitivity: Sensitivity) => number;

/** A type of alert. */
export interface Rule {
  readonly type: AlertType;
  /** Set if only watched tokens, or only watched wallets, raise it. */
  readonly watchedAs?: WatchItem['type'];
  /** Whether it is found in messages about verdicts or rings, not in blocks. */
  readonly isOfMessages?: true;
  readonly threshold: Threshold;
  /** Its row of `ALERTS.md`, in Markdown. */
  readonly looksAt: string;
  /** What is compared with the threshold. */
  readonly strength: string;
  /** Thresholds of low, medium and high sensitivity. */
  readonly presets?: string;
  readonly severity: string;
  readonly notDetected?: string;
}

/** A type of alert found in blocks; other types are found in messages of other roles, or triggered by time. */
export interface BlockRule extends Rule {
  /** Pure: findings that any watchlist item could match. */
  find(view: BlockView): Finding[];
}

/** For rules that alert at any sensitivity. */
export const anyStrength: Threshold = () => 0;
