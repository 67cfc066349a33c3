import { z } from 'zod';
import type { SecretBox } from '../platform/secretBox.ts';
import type { Webhook } from './webhook.ts';

/** Separates these tokens from secrets that are sealed for a webhook. */
const PURPOSE = 'stop mails';

const placeSchema = z.object({ family: z.string(), id: z.string() });

/** A webhook and its owner. */
export type WebhookPlace = z.infer<typeof placeSchema>;

/** The unsubscribe link in a mail: it needs no account and never expires. */
export const stopLink = (
  { family, id, language }: Pick<Webhook, 'family' | 'id' | 'language'>,
  box: Pick<SecretBox, 'seal'>,
  baseUrl: string,
): string => {
  const token = box.seal(JSON.stringify({ family, id }), PURPOSE);
  return `${baseUrl}/dashboard/mails/stop?token=${encodeURIComponent(token)}&lang=${language}`;
};

/** The webhook in a link's token; undefined for an invalid token. */
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
