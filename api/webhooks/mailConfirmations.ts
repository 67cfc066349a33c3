import { z } from 'zod';
import type { Mailer } from '../../shared/platform/mailer.ts';
import type { SecretBox } from '../../shared/platform/secretBox.ts';
import { alertPhrase } from '../../shared/webhooks/alertPhrases.ts';
import { placeOfStopToken } from '../../shared/webhooks/stopLink.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import type { WebhookStore } from '../../shared/webhooks/webhookStore.ts';
import type { OneTimeStore } from '../accounts/oneTimeStore.ts';
import type { Throttle } from '../accounts/throttle.ts';

const askedSchema = z.object({ family: z.string(), id: z.string(), email: z.string() });

/** Confirmations by mail. */
export const createMailConfirmations = (args: {
  readonly webhooks: Pick<WebhookStore, 'update'>;
  readonly oneTime: OneTimeStore;
  readonly throttle: Pick<Throttle, 'waitS'>;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly box: Pick<SecretBox, 'open'>;
  readonly baseUrl: string;
}) => {
  const { webhooks, oneTime, throttle, mailer, box, baseUrl } = args;
  return {
    /** Counts a link before it is sent; resolves to the seconds to wait if it may not be sent, else 0. */
    waitS: (family: string, email: string): Promise<number> =>
      throttle.waitS('mail', { account: email, from: family }),
    /** Mails the link. */
    ask: async ({ family, id, recipient: email, language }: Webhook): Promise<void> => {
      const token = await oneTime.put('alert-mail', { family, id, email });
      const url = `${baseUrl}/dashboard/mails/confirm?token=${token}&lang=${language}`;
      mailer.send({
        to: email,
        subject: alertPhrase(language, 'confirmSubject'),
        text: alertPhrase(language, 'confirmText', { url }),
      });
    },
    /** Confirms by the token in the link, once; false if it is expired or the webhook no longer exists. */
    confirm: async (token: string): Promise<boolean> => {
      const asked = await oneTime.take('alert-mail', token, askedSchema);
      const confirmed =
        asked &&
        (await webhooks.update(asked.family, asked.id, (stored) =>
          stored.recipient === asked.email
            ? { ...stored, isConfirmed: true, status: 'active', disabledReason: null }
            : undefined,
        ));
      return confirmed !== undefined;
    },
    /** Unsubscribes by the token in an alert; false if it is invalid or the webhook no longer exists. */
    stop: async (token: string): Promise<boolean> => {
      const place = placeOfStopToken(token, box);
      const stopped =
        place &&
        (await webhooks.update(place.family, place.id, (stored) => ({
          ...stored,
          isConfirmed: false,
          status: 'disabled',
          disabledReason: 'the owner of the address had the mails stopped',
        })));
      return stopped !== undefined;
    },
  };
};
/** Consent of e-mail owners: nothing is sent before they agree, nor after they unsubscribe. */
export type MailConfirmations = ReturnType<typeof createMailConfirmations>;
