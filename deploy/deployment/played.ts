import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import {
  poolEventLines,
  readLogs,
  transferLines,
} from '../../pipeline/testing/chaos/chainTruth.ts';
import {
  assertSameLines,
  readDue,
  readStreamProgress,
  storedPoolEvents,
  storedTransfers,
} from '../../pipeline/testing/chaos/storedState.ts';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { connectNats } from '../../shared/platform/nats.ts';
import type { Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { until } from '../../shared/testing/pipelineProcess.ts';
import { startReceiver } from '../../shared/testing/webhooks.ts';
import type { Stores } from '../backup/createBackup.ts';
import { describeAlert, describeRing, missingParts, verdictTable } from '../demo/outcome.ts';
import { assertComplete, openApi, playHour, playLastActs, showRing } from '../demo/play.ts';
import { askQuestions } from '../demo/questions.ts';
import { DEVNET_CHAIN_ID } from '../local/environment.ts';
import { queryRows } from '../local/probes.ts';

/** An API and a key for it. */
export interface Access {
  readonly baseUrl: string;
  readonly key: string;
}

const WEBHOOK_TIMEOUT_MS = 60_000;
const LEVEL_TIMEOUT_MS = 180_000;
const SQL_TIMEOUT_MS = 10_000;

const webhookSchema = z.object({ data: z.object({ id: z.string(), secret: z.string() }) });

/** Registers a webhook for alerts whose deliveries arrive on an address of this machine. */
export const openWebhook = async ({ baseUrl, key }: Access, address: string) => {
  const receiver = await startReceiver(undefined, address);
  const response = await fetch(`${baseUrl}/api/webhooks`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['watchlist.alert'] }),
    signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  const { secret } = webhookSchema.parse(JSON.parse(text)).data;
  return {
    /** Waits for the delivery of a rug pull of a token, and checks its signature. */
    untilPullDelivered: async (token: string): Promise<void> => {
      const isPull = ({ body }: { body: string }): boolean =>
        body.includes('rug_pull') && body.toLowerCase().includes(token.toLowerCase());
      const find = () => receiver.received.find(isPull);
      const delivery = await until('the webhook of the alert', find, WEBHOOK_TIMEOUT_MS);
      new Webhook(secret).verify(delivery.body, { ...delivery.headers });
    },
    close: () => receiver.close(),
  };
};

/** Does the same as the demo. Resolves to the result in words; throws an error if something did not arrive. */
export const playDemo = async (
  devnet: Devnet,
  access: Access,
  { clickhouseUrl }: Stores,
): Promise<{ text: string; pulled: string }> => {
  const api = openApi(access);
  const zoo = await playHour(devnet, api);
  const acts = await playLastActs(devnet, api, zoo);
  const outcome = { ...acts, ring: await showRing(devnet, api) };
  assertComplete(missingParts(outcome));
  const ask = (sql: string) =>
    queryRows(clickhouseUrl, sql, SQL_TIMEOUT_MS, 'TabSeparatedWithNames');
  assertComplete((await askQuestions(outcome.ring.play, ask)).problems);
  const text = [verdictTable(outcome), describeAlert(outcome), describeRing(outcome)].join('\n\n');
  return { text, pulled: zoo.pull.address };
};

/** The contents of a deployment at one time. */
export interface Holdings {
  readonly logs: number;
  readonly verdicts: readonly string[];
}

/**
 * Waits until the whole chain is read and scored, then compares transfers and pool events with the node's. Throws an
 * error with the first differences.
 */
export const compareWithChain = async (stores: Stores, devnet: Devnet): Promise<Holdings> => {
  const clickhouse = createClickhouse({ url: stores.clickhouseUrl });
  const nats = await connectNats(stores.natsUrl, 'deployment-test');
  const isLevel = async (): Promise<true | undefined> => {
    const progress = await readStreamProgress(nats, DEVNET_CHAIN_ID);
    if (!progress || progress.tip !== (await devnet.publicClient.getBlock()).hash) return undefined;
    const { acknowledged, lastSeq, events } = progress;
    if (Object.values(acknowledged).some((seq) => seq < lastSeq)) return undefined;
    if (events.some(({ waiting }) => waiting > 0)) return undefined;
    return (await readDue(clickhouse, DEVNET_CHAIN_ID)) === 0 || undefined;
  };
  try {
    await until('everything is read and judged', isLevel, LEVEL_TIMEOUT_MS);
    const logs = await readLogs(devnet.publicClient);
    assertSameLines(await storedTransfers(clickhouse), transferLines(logs), 'transfers');
    assertSameLines(await storedPoolEvents(clickhouse), poolEventLines(logs), 'pool events');
    const sql = `SELECT concat(v.token, ' ', v.block_hash) AS line FROM verdicts AS v ORDER BY line`;
    const verdicts = await clickhouse.query(sql, {}, z.object({ line: z.string() }));
    return { logs: logs.length, verdicts: verdicts.map(({ line }) => line) };
  } finally {
    await nats.close();
    await clickhouse.close();
  }
};
