/** Log-odds by model feature, `check:…`, `code:…`, `prior:…` or `rule:…`. */
type Contributions = Readonly<Record<string, number>>;

const AGE = 'prior:age';

/** The group of a contribution: all market features are one group, and so are all opcodes. */
const groupOf = (name: string): string => {
  if (!name.includes(':')) return 'market';
  return name.startsWith('code:') ? 'code' : name;
};

/** Log-odds by group: `market`, `code`, and each check, prior and rule by its own name. */
export const groupEvidence = (contributions: Contributions): Map<string, number> => {
  const sums = new Map<string, number>();
  for (const [name, logOdds] of Object.entries(contributions)) {
    const group = groupOf(name);
    sums.set(group, (sums.get(group) ?? 0) + logOdds);
  }
  return sums;
};

const sumOf = (groups: ReadonlyMap<string, number>): number =>
  [...groups.values()].reduce((sum, logOdds) => sum + logOdds, 0);

/**
 * Why a verdict differs from the previous one: the group that moved the log-odds most, in the direction of the total
 * change. Rules are never a reason because they only keep a verdict within the bounds of its evidence. If nothing
 * else moved, the reason is the token's age.
 * @returns `market`, `code`, `age`, or `check:` and its id
 */
export const reasonOfChange = (before: Contributions, after: Contributions): string => {
  const [old, now] = [groupEvidence(before), groupEvidence(after)];
  const direction = Math.sign(sumOf(now) - sumOf(old));
  const moves = [...new Set([...old.keys(), ...now.keys()])]
    .filter((group) => !group.startsWith('rule:'))
    .map((group) => ({
      group,
      moved: direction * ((now.get(group) ?? 0) - (old.get(group) ?? 0)),
    }))
    .toSorted((a, b) => b.moved - a.moved);
  const [most] = moves;
  return !most || most.moved <= 0 || most.group === AGE ? 'age' : most.group;
};
