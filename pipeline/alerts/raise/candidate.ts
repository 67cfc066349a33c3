import type { BlockRef, Hex } from '../../../shared/chain/block.ts';
import type { Alert } from '../../../shared/messages/alertMessage.ts';
import { presetsOf } from '../rules/allRules.ts';
import type { Finding } from '../rules/rule.ts';
import type { Watch } from '../watch/watchTable.ts';

/** A finding in its block. */
export interface FoundInBlock {
  readonly finding: Finding;
  readonly block: BlockRef & { readonly timestampS: number };
}

/** A finding that one watchlist item asks to be told of. */
export interface Candidate extends FoundInBlock {
  readonly watch: Watch;
}

/** Who is to be told of a finding: watchers of its token, and of the wallets that did it. */
export const candidatesOf = (
  found: FoundInBlock,
  watchesOf: (address: Hex) => readonly Watch[],
): Candidate[] => {
  const { finding } = found;
  const presets = presetsOf(finding.type);
  if (!presets) return [];
  const watches = [
    ...watchesOf(finding.token).filter(({ type }) => type === 'token'),
    ...finding.wallets.flatMap(watchesOf).filter(({ type }) => type === 'wallet'),
  ];
  return watches
    .filter((watch) => watch.alerts.includes(finding.type))
    .filter((watch) => finding.strength >= presets[watch.sensitivity])
    .map((watch) => ({ ...found, watch }));
};

/** Names the ground of an alert: the same for every time the same candidate comes up. */
export type Identity = Pick<
  Alert,
  'family' | 'chainId' | 'blockHash' | 'logIndex' | 'watchId' | 'type'
>;

/** The identity of the alert a candidate would become. */
export const identityOf = ({ finding, block, watch }: Candidate, chainId: number): Identity => ({
  family: watch.family,
  chainId,
  blockHash: block.hash,
  logIndex: finding.logIndex,
  watchId: watch.id,
  type: finding.type,
});
