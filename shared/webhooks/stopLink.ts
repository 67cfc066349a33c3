import { z } from 'zod';
import type { SecretBox } from '../platform/secretBox.ts';
import type { Webhook } from './webhook.ts';

/** Keeps these tokens apart from secrets that are sealed for a webhook. */
const PURPOSE = 'stop mails';

const placeSchema = z.object({ family: z.string(), id: z.string() });

/** A webhook, and whom it belongs to. */
export type WebhookPlace = z.infer<typeof placeSchema>;

/** The link in a mail by which its reader has such mails stopped: it needs no account and never ends. */
export const stopLink = (
  { family, id, language }: Pick<Webhook, 'family' | 'id' | 'language'>,
  box: Pick<SecretBox, 'seal'>,
  baseUrl: string,
): string => {
  const token = box.seal(JSON.stringify({ family, id }), PURPOSE);
  return `${baseUrl}/dashboard/mails/stop?token=${encodeURIComponent(token)}&lang=${language}`;
};

/** The webhook that a token of a link names; undefined for a text that is none. */
export const placeOfStopToken = (
  token: string,
  box: Pick<SecretBox, 'open'>,
): WebhookPlace | undefined => {
  try {
    return placeSchema.parse(JSON.parse(box.open(token, PURPOSE)));
  } catch {
    return undefined;
  }
};
