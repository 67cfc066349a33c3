/** The outcome of a scam, as the API names it. */
export const SCAM_OUTCOMES = [
  'rug_pull',
  'honeypot',
  'dump',
  'impersonation',
  'serial_spam',
] as const;
export type ScamOutcome = (typeof SCAM_OUTCOMES)[number];

/**
 * The kind of a scam, the first that applies: its liquidity was withdrawn (rug pull); it cannot be sold (honeypot);
 * it imitates another token (impersonation); its creators sold out, or a few wallets hold it (dump). If no check says
 * more, it is one of many of its kind (serial spam).
 * @param failedChecks ids of the failed checks of its verdict
 * @param isDrained whether its liquidity is known to be gone, whatever the checks say
 */
export const scamOutcome = (failedChecks: Iterable<string>, isDrained = false): ScamOutcome => {
  const failed = new Set(failedChecks);
  if (isDrained || failed.has('liquidity_drained')) return 'rug_pull';
  if (failed.has('sell_simulation')) return 'honeypot';
  if (failed.has('look_alike')) return 'impersonation';
  if (failed.has('insider_sales') || failed.has('holder_concentration')) return 'dump';
  return 'serial_spam';
};
