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

/** A block as the rules see it. */
export interface BlockView {
  readonly chainId: number;
  readonly block: BlockFacts;
  /** What the block did to pools with a base token. */
  readonly pools: readonly PoolChange[];
  /** Movements with addresses that look like counterparties of watched wallets. */
  readonly suspects: readonly Suspect[];
  /** US dollars per raw unit of a base token, or null where it is unknown. */
  readonly usdPerUnit: (base: Hex) => number | null;
}

/** Changes of the markets that count for their token: changes of a small one beside them raise no alert. */
export const mainPools = ({ pools }: BlockView): readonly PoolChange[] =>
  pools.filter(({ isMinor }) => !isMinor);

export const tokenProfileSchema = z.object({
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  creator: addressSchema,
  /** The transaction the token was found in. */
  createdTx: hashSchema,
  /** Raw units when the token was found; null where the contract did not report it. */
  totalSupply: z.number().nullable(),
});
/** What the index knows of a token. Empty texts and zero addresses where it does not. */
export type TokenProfile = Readonly<z.infer<typeof tokenProfileSchema>>;

/** Numbers and texts of an alert's `details`; `DETAIL_KINDS` says what each is. */
export type Details = Readonly<Partial<Record<AlertDetail, string | number | boolean | null>>>;

/** Something a rule saw, before it is asked who watches. */
export interface Finding {
  readonly type: AlertType;
  readonly token: Hex;
  /** Who did it: watched wallets among them get an alert. */
  readonly wallets: readonly Hex[];
  /** How strong it is, in the unit of the rule's threshold. */
  readonly strength: number;
  readonly severity: Severity;
  readonly recommendation: Recommendation;
  readonly details: Details;
  readonly txHash: Hex;
  /** Position of the log in its block; where no log is, a number that distinguishes findings of a block. */
  readonly logIndex: number;
  /**
   * The finding with what only the index knows, for an item that watches the token or a wallet;
   * null where nothing is left of it. It gets no stronger by that.
   */
  readonly withProfile?: (profile: TokenProfile, watchedAs: WatchItem['type']) => Finding | null;
}

/** The strength from which findings of a type alert, by an item's thresholds and sensitivity. */
export type Threshold = (thresholds: AlertThresholds, sensitivity: Sensitivity) => number;

/** A type of alert. */
export interface Rule {
  readonly type: AlertType;
  /** What it is watched as, where only tokens or only wallets raise it. */
  readonly watchedAs?: WatchItem['type'];
  /** Whether verdicts or rings tell of it, not the block. */
  readonly isOfMessages?: true;
  readonly threshold: Threshold;
  /** These are its row of `ALERTS.md`, in Markdown. */
  readonly looksAt: string;
  /** What is compared with the threshold. */
  readonly strength: string;
  /** Thresholds of low, medium and high sensitivity. */
  readonly presets?: string;
  readonly severity: string;
  readonly notDetected?: string;
}

/** A type of alert that blocks tell of; of others, messages of other roles or time do. */
export interface BlockRule extends Rule {
  /** Pure: findings that any watchlist item could match. */
  find(view: BlockView): Finding[];
}

/** For rules that alert whatever the sensitivity. */
export const anyStrength: Threshold = () => 0;
