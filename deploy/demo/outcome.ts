import type { DevnetToken } from '../../shared/testing/devnet/createDevnet.ts';
import type { DevnetTransaction } from '../../shared/testing/devnet/devnetNode.ts';
import { formatTable } from '../local/formats.ts';
import type { RingPlay } from './ring.ts';
import type { Alert, Polled, Ring, Verdict } from './verdictWatch.ts';

/** The parts of a verdict that explain it. */
export type Explanation = {
  shap_values: Record<string, number>;
  checks?: readonly { id: string; status: string; reason: string }[] | undefined;
};

const CONTRIBUTIONS_MAX = 3;
const CHECKS_MAX = 3;
/** Smaller contributions are shown as 0.00 and explain nothing. */
const CONTRIBUTION_MIN = 0.005;

/**
 * The failed checks, then the features that moved the model's margin most. A positive number speaks for a scam, a
 * negative one against.
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
  return reasons.length > 0 ? reasons : ['none'];
};

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;

/** The last transaction of a token, and the verdict that followed it. */
export type Act = {
  behaviour: string;
  token: DevnetToken;
  transaction: DevnetTransaction;
  verdict: Polled<Verdict>;
};

/** All results the demo waited for. */
export type Outcome = {
  acts: readonly Act[];
  pulled: { transaction: DevnetTransaction; alert: Polled<Alert> };
  ring: { play: RingPlay; shown: Polled<Ring> };
};

const HEADER = ['token', 'what it does', 'prediction', 'confidence', 'ms', 'strongest reasons'];

/** One row per token, and one for each further line of its reasons. */
export const verdictTable = ({ acts }: Outcome): string =>
  formatTable([
    HEADER,
    HEADER.map((title) => '─'.repeat(title.length)),
    ...acts.flatMap(({ behaviour, token, transaction, verdict }) => {
      if (verdict.kind === 'missing') {
        return [[token.symbol, behaviour, 'none', '', '', verdict.lastSeen]];
      }
      const { prediction, confidence } = verdict.value;
      const delayMs = sinceMined(transaction, verdict.atMs);
      const cells = [token.symbol, behaviour, prediction, `${confidence} %`, String(delayMs)];
      return strongestReasons(verdict.value).map((reason, i) => [
        ...cells.map((cell) => (i === 0 ? cell : '')),
        reason,
      ]);
    }),
  ]);

/** The alert with its details. */
export const describeAlert = ({ pulled: { transaction, alert } }: Outcome): string => {
  if (alert.kind === 'missing') return `no alert: ${alert.lastSeen}`;
  const { severity, type, token, recommendation } = alert.value;
  const delayMs = sinceMined(transaction, alert.atMs);
  const details = Object.entries(alert.value.details).map(([key, value]) => `  ${key}: ${value}`);
  return [
    `alert ${alert.value.id}: ${severity} ${type} of ${token.symbol}, ${recommendation}, read from the API ${delayMs} ms after the pull`,
    ...details,
  ].join('\n');
};

/** The ring: its members, their roles, and the links between its wallets. */
export const describeRing = ({ ring: { play, shown } }: Outcome): string => {
  if (shown.kind === 'missing') return `no ring: ${shown.lastSeen}`;
  const { id, statistics, wallets, evidence = [] } = shown.value;
  const { size, tokens_created: tokens, scam_rate: rate, victims } = statistics;
  const delayMs = sinceMined(play.transaction, shown.atMs);
  const master = wallets.find(({ role }) => role === 'master')?.address ?? 'unknown';
  const links = new Map<string, number>();
  for (const { rule } of evidence) links.set(rule, (links.get(rule) ?? 0) + 1);
  return [
    `ring ${id}: ${size} wallets, ${tokens} tokens, scam rate ${Math.round(rate * 100)} %, read from the API ${delayMs} ms after its last transaction`,
    `  master: ${master}`,
    `  stolen: ${Math.round(statistics.total_stolen)} USD from ${victims} victim${victims === 1 ? '' : 's'}`,
    `  links: ${[...links].map(([rule, count]) => `${count} ${rule}`).join(', ')}`,
  ].join('\n');
};

/** Expected results that did not appear; empty if all arrived. */
export const missingParts = ({ acts, pulled, ring }: Outcome): string[] => {
  const verdicts = acts.flatMap(({ token, transaction, verdict }) =>
    verdict.kind === 'found'
      ? []
      : [
          `the verdict of ${token.symbol} (${token.address}) as of block ${transaction.blockNumber}: ${verdict.lastSeen}`,
        ],
  );
  const others = { 'the alert of the pull of liquidity': pulled.alert, 'the ring': ring.shown };
  const missing = Object.entries(others).flatMap(([name, polled]) =>
    polled.kind === 'found' ? [] : [`${name}: ${polled.lastSeen}`],
  );
  return [...verdicts, ...missing];
};

/** Milliseconds from the receipt of a transaction, as this process saw it, to `atMs`. */
const sinceMined = (transaction: DevnetTransaction, atMs: number): number =>
  Math.round(atMs - transaction.seenAtMs);
