import { TokenScamClient } from '../../api/clients/typescript/index.ts';
import type { Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import type { Act, Outcome } from './outcome.ts';
import { playRing } from './ring.ts';
import {
  type Alert,
  type Polled,
  waitForPullAlert,
  waitForRing,
  waitForVerdict,
} from './verdictWatch.ts';
import { BEHAVIOURS, LAST_ACTS, openZoo, TRADES_SECONDS, tradeForAnHour, type Zoo } from './zoo.ts';

/** Time limit for the verdicts after an hour of trades: the pipeline may still be starting. */
const LEVEL_TIMEOUT_MS = 45_000;
const VERDICT_TIMEOUT_MS = 45_000;
const ALERT_TIMEOUT_MS = 45_000;
const RING_TIMEOUT_MS = 45_000;
const ROUNDS_PER_LINE = 10;
/** A trader of the zoo. */
const DOLLAR_TRADER = 10;
const NAMES = Object.keys(BEHAVIOURS) as (keyof Zoo)[];

const REQUEST_TIMEOUT_MS = 5_000;

/** A client whose requests are not retried: callers that wait poll again. */
export const openApi = ({ baseUrl, key }: { baseUrl: string; key: string }): TokenScamClient =>
  new TokenScamClient({ baseUrl, apiKey: key, retriesMax: 0, timeoutMs: REQUEST_TIMEOUT_MS });

const startMs = Date.now();
/** Prints a line with the seconds since the start. */
export const say = (text: string): void => {
  const seconds = ((Date.now() - startMs) / 1_000).toFixed(1).padStart(5);
  console.log(`[${seconds} s] ${text}`);
};

/** Plays the hour of trades; verdicts must have caught up with the chain before anything is timed. */
export const playHour = async (devnet: Devnet, api: TokenScamClient): Promise<Zoo> => {
  if ((await devnet.publicClient.getBlockNumber()) === 0n) {
    // It starts an hour ago, so that the hour ends now.
    await devnet.setTime(Math.floor(Date.now() / 1_000) - TRADES_SECONDS);
  }
  say('deploying Uniswap V2 and a WETH/dollar pool');
  await devnet.deployUniswap();
  say('deploying five tokens, each with a pool');
  const zoo = await openZoo(devnet);
  // A trade in both directions gives the native coin a US dollar price without changing it.
  await devnet.buy(DEVNET_ADDRESSES.stable, DOLLAR_TRADER, 0.01);
  await devnet.sell(DEVNET_ADDRESSES.stable, DOLLAR_TRADER, 1);
  const { address, symbol } = zoo.pull;
  const { data: item } = await api.addToWatchlist({ type: 'token', address, alerts: ['rug_pull'] });
  say(`${symbol} is on the watchlist as item ${item.id}`);
  const lastBlock = await tradeForAnHour(devnet, zoo, (round, rounds) => {
    if (round % ROUNDS_PER_LINE === 0) say(`an hour of trades: block ${round} of ${rounds}`);
  });
  say(`waiting for verdicts as of block ${lastBlock}`);
  const waits = NAMES.map(async (name) => {
    const { address, symbol } = zoo[name];
    const verdict = await waitForVerdict(api, address, lastBlock, LEVEL_TIMEOUT_MS);
    return verdict.kind === 'found' ? [] : [`the verdict of ${symbol}: ${verdict.lastSeen}`];
  });
  assertComplete((await Promise.all(waits)).flat());
  say(`all ${NAMES.length} verdicts are there`);
  return zoo;
};

/** The last actions, one after the other, so that each time to a verdict is that of one block. */
export const playLastActs = async (
  devnet: Devnet,
  api: TokenScamClient,
  zoo: Zoo,
): Promise<Omit<Outcome, 'ring'>> => {
  const play = async (name: keyof Zoo): Promise<[Act, Promise<Polled<Alert>> | undefined]> => {
    const token = zoo[name];
    const behaviour = BEHAVIOURS[name];
    const transaction = await LAST_ACTS[name](devnet, token);
    const { address } = token;
    const { blockNumber } = transaction;
    const alert =
      name === 'pull' ? waitForPullAlert(api, address, blockNumber, ALERT_TIMEOUT_MS) : undefined;
    const verdict = await waitForVerdict(api, address, blockNumber, VERDICT_TIMEOUT_MS);
    const outcome = verdict.kind === 'found' ? verdict.value.prediction : 'no verdict';
    say(`${token.symbol}, ${behaviour}: ${outcome}`);
    return [{ behaviour, token, transaction, verdict }, alert];
  };

  const acts: Act[] = [];
  for (const name of NAMES.filter((name) => name !== 'pull')) acts.push((await play(name))[0]);
  const [pull, pendingAlert] = await play('pull');
  const alert = (await pendingAlert) ?? { kind: 'missing', lastSeen: 'not asked for' };
  return { acts: [...acts, pull], pulled: { transaction: pull.transaction, alert } };
};

/** Wallets of one party launch and pull three tokens: they are shown as a ring. */
export const showRing = async (devnet: Devnet, api: TokenScamClient): Promise<Outcome['ring']> => {
  const play = await playRing(devnet);
  const { wallets, tokens } = play;
  say(`${wallets.length} wallets of one hand pulled the liquidity of ${tokens.length} tokens`);
  const shown = await waitForRing(api, play, RING_TIMEOUT_MS);
  say(shown.kind === 'found' ? `they are shown as ring ${shown.value.id}` : 'no ring');
  return { play, shown };
};

/** Throws an error that lists what is missing, if anything. */
export const assertComplete = (missing: readonly string[]): void => {
  if (missing.length === 0) return;
  const list = missing.map((part) => `- ${part}`).join('\n');
  throw new Error(
    `the demo is not complete (see \`make status\` and \`make logs\`). Missing:\n${list}`,
  );
};
