import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import { type AlertOverrides, thresholdsOf } from '../../../shared/messages/settingsMessage.ts';
import { thresholdOf } from '../rules/allRules.ts';
import type { Finding } from '../rules/rule.ts';
import type { Watch } from '../watch/watchIndex.ts';
import { isMuted } from './settings.ts';

/** A finding with its block. */
export interface FoundInBlock {
  readonly finding: Finding;
  readonly block: BlockRef & { readonly timestampS: number };
}

/** A finding that matches one watchlist item. */
export interface Candidate extends FoundInBlock {
  readonly watch: Watch;
  readonly settings: AlertOverrides;
}

/** Watchlists and family settings. */
export interface Audience {
  watchesOf(address: Hex): readonly Watch[];
  settingsOf(family: string): AlertOverrides;
}

/** Whether a finding is strong enough for the item. */
export const isStrongEnough = (
  finding: Finding,
  watch: Watch,
  settings: AlertOverrides,
): boolean => {
  const threshold = thresholdOf(finding.type);
  const { sensitivity } = watch;
  return finding.strength >= threshold(thresholdsOf(sensitivity, settings), sensitivity);
};

/** Items that match a finding: those that watch its token, or a wallet that caused it. */
export const candidatesOf = (found: FoundInBlock, audience: Audience): Candidate[] => {
  const { finding } = found;
  const watches = [
    ...audience.watchesOf(finding.token).filter(({ type }) => type === 'token'),
    ...finding.wallets
      .flatMap((wallet) => audience.watchesOf(wallet))
      .filter(({ type }) => type === 'wallet'),
  ];
  return watches
    .filter(({ alerts }) => alerts.includes(finding.type))
    .map((watch) => ({ ...found, watch, settings: audience.settingsOf(watch.family) }))
    .filter(({ watch, settings }) => !isMuted(settings, finding, watch))
    .filter(({ watch, settings }) => isStrongEnough(finding, watch, settings));
};

/** Identifies the cause of an alert: the same for every repetition of the candidate. */
export type Identity = Pick<
  Alert,
  'family' | 'chainId' | 'blockHash' | 'logIndex' | 'watchId' | 'type'
> & { readonly token: Pick<Alert['token'], 'address'> };

/** The identity of the alert that a candidate would become. */
export const identityOf = ({ finding, block, watch }: Candidate, chainId: number): Identity => ({
  family: watch.family,
  chainId,
  blockHash: block.hash,
  logIndex: finding.logIndex,
  watchId: watch.id,
  type: finding.type,
  token: { address: finding.token },
});
