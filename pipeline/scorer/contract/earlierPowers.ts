import type { ContractProfile } from './contractProfile.ts';

/** Whether nothing can be sold now, so that a probe cannot show what stops sales. */
const isClosed = ({ probe }: ContractProfile): boolean =>
  probe.kind === 'done' && !probe.trade?.sells;

const isSameCode = (one: ContractProfile, other: ContractProfile): boolean =>
  one.codeHash === other.codeHash && one.proxy?.implementation === other.proxy?.implementation;

/**
 * The profile with powers that were shown for the same code while its token could still be sold: closing sales must
 * not hide who was able to. Those of a former owner are left out.
 * @param earlier the previous profile, if any
 */
export const withEarlierPowers = (
  profile: ContractProfile,
  earlier: ContractProfile | undefined,
): ContractProfile => {
  const { probe, owner, holders } = profile;
  if (!earlier || !isSameCode(profile, earlier) || !isClosed(profile)) return profile;
  if (probe.kind !== 'done' || earlier.probe.kind !== 'done' || probe.powers.length > 0)
    return profile;
  const { blockNumber, stage } = earlier.probe;
  const powers = earlier.probe.powers.filter(
    ({ caller }) => caller.origin !== 'owner' || caller.address === owner.address,
  );
  if (powers.length === 0) return profile;
  const known = new Set(holders.map(({ address }) => address));
  return {
    ...profile,
    holders: [...holders, ...earlier.holders.filter(({ address }) => !known.has(address))],
    probe: { ...probe, blockNumber, powers, ...(stage && { stage }) },
  };
};
