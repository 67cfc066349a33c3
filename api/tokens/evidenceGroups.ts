/** Log-odds by feature of the model, `check:…`, `code:…`, `prior:…` or `rule:…`. */
type Contributions = Readonly<Record<string, number>>;

const AGE = 'prior:age';

/** What a contribution belongs to: the features of the market count as one, and so do the opcodes of the code. */
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
 * Why a verdict is not the one before it: the group that moved the log-odds most in the direction in which they went. Rules only keep a verdict
 * within the bounds of its evidence, so none is a reason. Where nothing else moved, the token has become older.
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
