/** The parts of a verdict that explain it. */
export type Explanation = {
  shap_values: Record<string, number>;
  checks?: readonly { id: string; status: string; reason: string }[] | undefined;
};

const CONTRIBUTIONS_MAX = 3;
const CHECKS_MAX = 3;
const LINE_LENGTH_MAX = 76;
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
  const lines = [
    ...failed.map(({ id, reason }) => `failed ${id}: ${reason}`),
    ...contributions.map(([feature, value]) => `${signed(value)} ${feature}`),
  ].map(shorten);
  return lines.length > 0 ? lines : ['none'];
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

const shorten = (line: string): string =>
  line.length <= LINE_LENGTH_MAX ? line : `${line.slice(0, LINE_LENGTH_MAX - 1)}…`;
