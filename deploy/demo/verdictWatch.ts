import type { Alert, ApiClient, Ring, Verdict } from './apiClient.ts';
import { type Polled, pollUntil } from './pollUntil.ts';
import type { RingPlay } from './ring.ts';

/** Waits until the API shows the verdict of a token as of `block` or a later one. */
export const waitForVerdict = async (
  api: Pick<ApiClient, 'verdict'>,
  address: string,
  block: number,
  timeoutMs: number,
): Promise<Polled<Verdict>> =>
  pollUntil(async () => {
    const verdict = await api.verdict(address);
    const asOf = verdict.provenance.block_number;
    return asOf >= block
      ? { value: verdict }
      : { instead: `the verdict is as of block ${asOf}, the token's last block is ${block}` };
  }, timeoutMs);

/** Waits until the API lists the alert of a rug pull of the token in `block`. */
export const waitForPullAlert = async (
  api: Pick<ApiClient, 'alerts'>,
  address: string,
  block: number,
  timeoutMs: number,
): Promise<Polled<Alert>> =>
  pollUntil(async () => {
    const alerts = await api.alerts();
    const alert = alerts.find(
      ({ type, token, details }) =>
        type === 'rug_pull' && token.address === address && details['block_number'] === block,
    );
    return alert
      ? { value: alert }
      : { instead: `${alerts.length} alerts, none of a rug pull of it in block ${block}` };
  }, timeoutMs);

/** Waits until the API shows the complete ring of some wallets: all of them, and every token of theirs a scam. */
export const waitForRing = async (
  api: Pick<ApiClient, 'verdict' | 'ring'>,
  { wallets, tokens }: RingPlay,
  timeoutMs: number,
): Promise<Polled<Ring>> =>
  pollUntil(async () => {
    const { cluster_id: id } = await api.verdict(tokens[0]?.address ?? '');
    if (!id) return { instead: 'their first token is in no ring' };
    const ring = await api.ring(id);
    const members = new Set(ring.wallets.map(({ address }) => address));
    const scams = new Set(
      ring.tokens.flatMap(({ address, prediction }) => (prediction === 'SCAM' ? [address] : [])),
    );
    const isWhole =
      ring.statistics.scam_rate === 1 &&
      wallets.every((wallet) => members.has(wallet)) &&
      tokens.every(({ address }) => scams.has(address));
    return isWhole
      ? { value: ring }
      : { instead: `ring ${id} has ${members.size} wallets and ${scams.size} scams` };
  }, timeoutMs);
