import type { BlockRef } from '../../shared/chain/block.ts';
import type { ClusterMessage } from '../../shared/messages/clusterMessage.ts';
import type { RingDetector } from './graph/createRingDetector.ts';
import type { RingStore } from './rings/ringStore.ts';
import type { LossStore } from './wallets/lossStore.ts';
import type { WalletReader } from './wallets/walletReader.ts';
import type { WalletStore } from './wallets/walletStore.ts';

/** Dependencies of storing changes. */
export interface FlushPorts {
  readonly chainId: number;
  readonly detector: RingDetector;
  readonly rings: RingStore;
  readonly losses: LossStore;
  readonly reader: WalletReader;
  readonly wallets: WalletStore;
  /** US dollars per native unit. */
  readonly nativePriceUsd: () => Promise<number>;
  /** Resolves when the message is stored; a repeated message id is not sent twice. */
  readonly publish: (message: ClusterMessage, messageId: string) => Promise<void>;
}

/** Position and time as of which something is stored. */
export interface FlushMoment {
  readonly block: BlockRef & { readonly timestampS: number };
  readonly trigger: ClusterMessage['trigger']['kind'];
  /** See `chainPosition`: versions never decrease. */
  readonly version: number;
  /** Whether the process just started: then only differences from the tables are examined. */
  readonly isStart: boolean;
}

/** Wallets read and written together. */
export const WALLETS_PER_STEP_MAX = 200;
