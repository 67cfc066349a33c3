import type { AlertSettings } from '../../shared/families/alertSettingsStore.ts';
import { isForPeople } from '../../shared/webhooks/sendEvents.ts';
import { type FindTarget, TargetRefusal } from '../../shared/webhooks/targetAddress.ts';
import type { WebhookKind } from '../../shared/webhooks/webhook.ts';
import type { z } from '../server/schema.ts';
import type { MailConfirmations } from './mailConfirmations.ts';
import type { newWebhookSchema, webhookChangeSchema } from './schema.ts';
import { TargetFault, targetChange, targetOf } from './target.ts';
import { NOT_CONFIRMED, type WebhookState, type Webhooks } from './webhook.ts';

/** Dependencies of creating and changing webhooks. */
export interface RegisterPorts {
  readonly webhooks: Webhooks;
  readonly findTarget: FindTarget;
  readonly mailConfirmations: MailConfirmations;
  readonly alertSettings: Pick<AlertSettings, 'update'>;
}

export type NewWebhookBody = z.output<typeof newWebhookSchema>;
export type WebhookChangeBody = z.output<typeof webhookChangeSchema>;

/** Refuses a receiver URL to which events must not be sent; the other services have addresses of their own. */
const checkUrl = async (
  findTarget: FindTarget,
  kind: WebhookKind,
  url: string | undefined,
): Promise<void> => {
  if (kind !== 'webhook' || url === undefined) return;
  try {
    await findTarget(url);
  } catch (error) {
    if (!(error instanceof TargetRefusal)) throw error;
    throw new TargetFault('url', error.message);
  }
};

const checkSchedule = (
  kind: WebhookKind,
  { digest, quiet_hours: quietHours }: Pick<WebhookChangeBody, 'digest' | 'quiet_hours'>,
): void => {
  if (isForPeople({ kind })) return;
  if (digest !== undefined && digest !== 'none') {
    throw new TargetFault('digest', 'must be none for kind webhook, which gets each event at once');
  }
  if (quietHours) {
    throw new TargetFault(
      'quiet_hours',
      'must be null for kind webhook, which gets each event at once',
    );
  }
};

/** The owner of a webhook. */
export interface WebhookOwner {
  readonly family: string;
  readonly webhooksMax: number;
  /** An e-mail address whose owner is known to be the caller. */
  readonly confirmedEmail?: string;
}

/**
 * Creates a webhook, and mails a link if an e-mail address must be confirmed. Resolves to undefined if the family has
 * as many as its plan includes. @throws TargetFault
 */
export const registerWebhook = async (
  { webhooks, findTarget, mailConfirmations, alertSettings }: RegisterPorts,
  { family, webhooksMax, confirmedEmail }: WebhookOwner,
  body: NewWebhookBody,
): Promise<{ webhook: WebhookState; secret: string } | undefined> => {
  const { kind, url, secret, bot_token, chat_id, email, quiet_hours: quietHours, ...rest } = body;
  const target = targetOf(kind, { url, secret, bot_token, chat_id, email });
  checkSchedule(kind, body);
  await checkUrl(findTarget, kind, url);
  const isConfirmed = kind !== 'email' || target.recipient === confirmedEmail;
  if (!isConfirmed) {
    const waitS = await mailConfirmations.waitS(family, target.recipient);
    if (waitS > 0) {
      throw new TargetFault('email', `gets no more links for now: try again in ${waitS} seconds`);
    }
  }
  const choice = { ...rest, ...target, kind, isConfirmed, quietHours };
  const made = await webhooks.create(family, choice, webhooksMax);
  if (made && !isConfirmed) await mailConfirmations.ask(made.webhook);
  if (made && kind === 'email') {
    // Alerts by mail are off by default, but a caller who gives an address wants them.
    await alertSettings.update(family, (before) => ({
      ...before,
      channels: { ...before.channels, email: true },
    }));
  }
  return made;
};

/** Changes a webhook; resolves to undefined if the family has no such webhook. @throws TargetFault */
export const changeWebhook = async (
  { webhooks, findTarget }: RegisterPorts,
  family: string,
  id: string,
  body: WebhookChangeBody,
): Promise<WebhookState | undefined> => {
  const webhook = await webhooks.find(family, id);
  if (!webhook) return undefined;
  const { kind, isConfirmed } = webhook;
  const { url, bot_token, chat_id, quiet_hours: quietHours, ...rest } = body;
  const target = targetChange(kind, { url, bot_token, chat_id });
  checkSchedule(kind, body);
  await checkUrl(findTarget, kind, url);
  if (body.status === 'active' && !isConfirmed) throw new TargetFault('status', NOT_CONFIRMED);
  return webhooks.change(family, id, { ...rest, ...target, quietHours });
};
