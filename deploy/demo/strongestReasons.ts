/** The parts of a verdict that explain it. */
export type Explanation = {
  shap_values: Record<string, number>;
  checks?: readonly { id: string; status: string; reason: string }[] | undefined;
};

const CONTRIBUTIONS_MAX = 3;
const CHECKS_MAX = 3;
const REASON_LENGTH_MAX = 240;
const LINE_LENGTH_MAX = 68;
const INDENT = '  ';
/** Smaller contributions are shown as 0.00: they explain nothing. */
const CONTRIBUTION_MIN = 0.005;

/**
 * The failed checks, then the features that moved the model's margin most. A positive number
 * speaks for a scam, a negative one against.
 */
export const strongestReasons = ({ shap_values, checks = [] }: Explanation): string[] => {
  const failed = checks.filter(({ status }) => status === 'fail').slice(0, CHECKS_MAX);
  const contributions = Object.entries(shap_values)
    .filter(([, value]) => Math.abs(value) >= CONTRIBUTION_MIN)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, CONTRIBUTIONS_MAX);
  const reasons = [
    ...failed.map(({ id, reason }) => `failed ${id}: ${reason}`),
    ...contributions.map(([feature, value]) => `${signed(value)} ${feature}`),
  ];
  return reasons.length > 0 ? reasons.flatMap(wrap) : ['none'];
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

/** Breaks a reason into lines at spaces; a word longer than a line keeps a line of its own. */
const wrap = (reason: string): string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of reason.slice(0, REASON_LENGTH_MAX).split(' ')) {
    if (line.length > 0 && line.length + 1 + word.length > LINE_LENGTH_MAX) {
      lines.push(line);
      line = `${INDENT}${word}`;
    } else {
      line = line.length === 0 ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
};
