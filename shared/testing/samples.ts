import type { NatsConnection } from 'nats';
import { eventId } from '../events/pushEvent.ts';
import type { Alert, AlertMessage } from '../messages/alertMessage.ts';
import type { ScoreMessage } from '../messages/scoreMessage.ts';
import { alertSubject, scoreSubject } from '../messages/subjects.ts';
import type { Webhook } from '../webhooks/webhook.ts';

const TOKEN = `0x${'ab'.repeat(20)}` as const;
const HASH = `0x${'cd'.repeat(32)}` as const;

/** An alert on a pulled pool. */
export const sampleAlert = (changes: Partial<Alert> = {}): Alert => ({
  chainId: 1,
  family: 'fam',
  id: 9001,
  watchId: 3,
  type: 'rug_pull',
  severity: 'critical',
  token: { address: TOKEN, name: 'Moon Pepe', symbol: 'MPEPE' },
  details: { liquidity_change: -0.97, creator_sold_usd: 14_800 },
  recommendation: 'SELL_IMMEDIATELY',
  blockNumber: 7,
  blockHash: HASH,
  logIndex: 2,
  txHash: HASH,
  createdAtMs: Date.now(),
  ...changes,
});

/** Publishes an alert in the way of the alerts role. Resolves to the id of its event. */
export const publishAlert = async (
  connection: NatsConnection,
  family: string,
  id: number,
  changes: Partial<Alert> = {},
): Promise<string> => {
  const alert = sampleAlert({ family, id, ...changes });
  const name = eventId(`${family}:${id}:raised`, alert.createdAtMs);
  const message: AlertMessage = { v: 1, eventId: name, state: 'raised', alert };
  const options = { msgID: name };
  await connection.jetstream().publish(alertSubject(family), JSON.stringify(message), options);
  return name;
};

/** The verdict on a new scam. */
export const sampleScore = (changes: Partial<ScoreMessage> = {}): ScoreMessage => ({
  v: 1,
  chainId: 1,
  token: TOKEN,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  blockNumber: 7,
  blockHash: HASH,
  prediction: 'SCAM',
  confidence: 0.97,
  riskScore: 97,
  previousPrediction: null,
  previousConfidence: null,
  previousRiskScore: null,
  analyzedAtMs: Date.now(),
  ...changes,
});

/** Publishes the verdict on a new scam in the way of the scorer. */
export const publishScore = async (connection: NatsConnection): Promise<void> => {
  const message = sampleScore();
  await connection.jetstream().publish(scoreSubject(1, message.token), JSON.stringify(message));
};

/** A webhook that gets the alerts of its family. */
export const sampleWebhook = (changes: Partial<Webhook> = {}): Webhook => ({
  family: 'fam',
  id: 'wh',
  kind: 'webhook',
  url: 'https://receiver.example/',
  recipient: '',
  isConfirmed: true,
  language: 'en',
  digest: 'none',
  quietHours: null,
  events: ['watchlist.alert'],
  description: null,
  filters: null,
  status: 'active',
  disabledReason: null,
  secret: '',
  previousSecret: '',
  previousSecretUntilMs: 0,
  createdAtMs: 0,
  version: 1,
  ...changes,
});

/**
 * Columns of `token_verdicts`, in SQL, of a row that replaces the one it is selected from, as the scorer writes them:
 * for `SELECT * REPLACE (…)`.
 */
export const REPLACED_VERDICT = `greatest(seq + 1, toUInt64(toUnixTimestamp64Micro(now64(6)))) AS seq`;
