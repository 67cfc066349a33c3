import type { PushEventBody } from '../events/pushEvent.ts';
import { errorMessage } from '../platform/errors.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { SecretBox } from '../platform/secretBox.ts';
import { alertPhrase } from './alertPhrases.ts';
import { type AlertText, alertText } from './alertText.ts';
import {
  CHAT_ORIGINS,
  type ChatKind,
  type ChatOrigins,
  chatService,
  readRefusal,
} from './chatServices.ts';
import type { Attempt, SendDelivery } from './sendDelivery.ts';
import { stopLink } from './stopLink.ts';
import { signingSecrets, type Webhook } from './webhook.ts';

/** An event as stored. */
export interface StoredEvent {
  readonly eventId: string;
  /** The body of a webhook, JSON. */
  readonly payload: string;
}

/**
 * Sends events to a target, once; several events to people become one message. Never rejects because of the target.
 */
export type SendEvents = (webhook: Webhook, events: readonly StoredEvent[]) => Promise<Attempt>;

interface SendEventsPorts {
  readonly send: SendDelivery;
  readonly mailer: Pick<Mailer, 'deliver'>;
  readonly box: SecretBox;
  readonly now: () => number;
  /** Address of the API, for links to pages. */
  readonly baseUrl: string;
  /** Base URLs of the chat services; replaced in tests only. */
  readonly origins?: ChatOrigins;
}

const MAIL_LENGTH_MAX = 20_000;
const ERROR_LENGTH_MAX = 200;
/** Replies of mail servers for a mailbox that does not exist (RFC 5321 4.2.2, 5.1). */
const NO_MAILBOX: ReadonlySet<unknown> = new Set([550, 551, 553]);

/** Whether several events become one message: people get a digest, programs each event. */
export const isForPeople = ({ kind }: Pick<Webhook, 'kind'>): boolean => kind !== 'webhook';

const bodiesOf = (events: readonly StoredEvent[]): PushEventBody[] =>
  events.map(({ payload }) => JSON.parse(payload) as PushEventBody);

const createSendMail =
  ({ mailer, box, now, baseUrl }: SendEventsPorts) =>
  async (webhook: Webhook, events: readonly StoredEvent[]): Promise<Attempt> => {
    const startMs = now();
    const ended = (result: Pick<Attempt, 'isDelivered' | 'error' | 'isGone'>): Attempt => ({
      httpStatus: null,
      retryAfterMs: null,
      ...result,
      durationMs: Math.max(0, Math.round(now() - startMs)),
    });
    if (!webhook.isConfirmed) {
      return ended({ isDelivered: false, error: 'the address is not confirmed' });
    }
    const { language, recipient } = webhook;
    const escape = (text: string): string => text;
    const reader = { language, baseUrl, escape, lengthMax: MAIL_LENGTH_MAX };
    const { title, text }: AlertText = alertText(bodiesOf(events), reader);
    const stopUrl = stopLink(webhook, box, baseUrl);
    const footer = alertPhrase(language, 'stop', { url: stopUrl });
    const messageId = `<${events[0]?.eventId}@${new URL(baseUrl).hostname}>`;
    try {
      const subject = title;
      await mailer.deliver({
        to: recipient,
        subject,
        text: `${text}\n\n-- \n${footer}\n`,
        stopUrl,
        messageId,
      });
      return ended({ isDelivered: true, error: null });
    } catch (error) {
      const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
      const isGone = code === 'EENVELOPE' && NO_MAILBOX.has(responseCode);
      const text = errorMessage(error).slice(0, ERROR_LENGTH_MAX);
      return ended({ isDelivered: false, error: text, isGone });
    }
  };

const createSendChat =
  ({ send, box, baseUrl, origins = CHAT_ORIGINS }: SendEventsPorts) =>
  (webhook: Webhook, kind: ChatKind, events: readonly StoredEvent[]): Promise<Attempt> => {
    const { language, recipient } = webhook;
    const service = chatService(kind);
    const { escape, lengthMax } = service;
    const { text } = alertText(bodiesOf(events), { language, baseUrl, escape, lengthMax });
    const { path, body } = service.post(box.open(webhook.secret, webhook.id), recipient, text);
    const url = `${origins[kind]}${path}`;
    return send({ url, payload: JSON.stringify(body), readRefusal: readRefusal(kind) });
  };

/** Sends by HTTP and by mail. */
export const createSendEvents = (ports: SendEventsPorts): SendEvents => {
  const [sendMail, sendChat] = [createSendMail(ports), createSendChat(ports)];
  const { send, box, now } = ports;
  return (webhook, events) => {
    const { kind, url } = webhook;
    switch (kind) {
      case 'webhook': {
        const [event, ...others] = events;
        if (!event || others.length > 0) throw new Error('a receiver gets one event at a time');
        const { eventId, payload } = event;
        const secrets = signingSecrets(webhook, box, now());
        return send({ url, payload, signed: { eventId, secrets } });
      }
      case 'email':
        return sendMail(webhook, events);
      case 'telegram':
      case 'discord':
      case 'slack':
        return sendChat(webhook, kind, events);
    }
  };
};
