import { setTimeout as delay } from 'node:timers/promises';
import type { components, TokenScamClient } from '../../api/clients/typescript/index.ts';
import type { RingPlay } from './ring.ts';

export type Verdict = components['schemas']['TokenDetailA'];
export type Ring = components['schemas']['ClusterDetail'];
export type Alert = components['schemas']['Alert'];

/** Result of polling. `lastSeen` is the last state before the time limit. */
export type Polled<T> =
  | { kind: 'found'; value: T; atMs: number }
  | { kind: 'missing'; lastSeen: string };

/** Result of one poll of the API: the expected value, or what is there instead. */
export type Look<T> = { value: T } | { instead: string };

/** Short intervals while an answer is due, long ones after: an API key may send 1,000 requests a minute. */
const FINE_STEP_MS = 25;
const FINE_FOR_MS = 1_000;
const COARSE_STEP_MS = 250;

/**
 * Polls until the value appears or the time is over, and returns when it was seen (milliseconds since 1970). A poll
 * that throws counts as one that shows the error.
 */
export const pollUntil = async <T>(
  look: () => Promise<Look<T>>,
  timeoutMs: number,
): Promise<Polled<T>> => {
  const startMs = Date.now();
  for (;;) {
    const seen = await look().catch((error: unknown) => ({ instead: messageOf(error) }));
    const nowMs = Date.now();
    if ('value' in seen) return { kind: 'found', value: seen.value, atMs: nowMs };
    if (nowMs - startMs >= timeoutMs) return { kind: 'missing', lastSeen: seen.instead };
    await delay(nowMs - startMs < FINE_FOR_MS ? FINE_STEP_MS : COARSE_STEP_MS);
  }
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Waits until the API shows the verdict of a token as of `block` or a later one. */
export const waitForVerdict = async (
  api: Pick<TokenScamClient, 'getToken'>,
  address: string,
  block: number,
  timeoutMs: number,
): Promise<Polled<Verdict>> =>
  pollUntil(async () => {
    const { data: verdict } = await api.getToken({ address });
    const asOf = verdict.provenance?.block_number ?? 0;
    return asOf >= block
      ? { value: verdict }
      : { instead: `the verdict is as of block ${asOf}, the token's last block is ${block}` };
  }, timeoutMs);

/** Waits until the API lists the alert of a rug pull of the token in `block`. */
export const waitForPullAlert = async (
  api: Pick<TokenScamClient, 'getAlerts'>,
  address: string,
  block: number,
  timeoutMs: number,
): Promise<Polled<Alert>> =>
  pollUntil(async () => {
    const { alerts } = (await api.getAlerts({ limit: 100 })).data;
    const alert = alerts.find(
      ({ type, token, details }) =>
        type === 'rug_pull' && token.address === address && details['block_number'] === block,
    );
    return alert
      ? { value: alert }
      : { instead: `${alerts.length} alerts, none of a rug pull of it in block ${block}` };
  }, timeoutMs);

/**
 * Waits until the API shows the complete ring of some wallets: all of them, with every token of theirs a scam.
 */
export const waitForRing = async (
  api: Pick<TokenScamClient, 'getToken' | 'getCluster'>,
  { wallets, tokens }: RingPlay,
  timeoutMs: number,
): Promise<Polled<Ring>> =>
  pollUntil(async () => {
    const { cluster_id: id } = (await api.getToken({ address: tokens[0]?.address ?? '' })).data;
    if (!id) return { instead: 'their first token is in no ring' };
    const { data: ring } = await api.getCluster({ id });
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
