import type { SecretBox } from '../webhooks/secretBox.ts';
import { createSendDelivery } from '../webhooks/sendDelivery.ts';
import { createSendEvents, type SendEvents } from '../webhooks/sendEvents.ts';
import { createFindTarget, systemResolve } from '../webhooks/targetAddress.ts';

/** Sends to receivers on this machine; there are no chats and no mails. */
export const createTestSender = (args: { box: SecretBox; attemptMsMax?: number }): SendEvents => {
  const now = (): number => Date.now();
  const findTarget = createFindTarget({ resolve: systemResolve, allowPrivate: true });
  const nowhere = 'http://127.0.0.1:9';
  return createSendEvents({
    send: createSendDelivery({ findTarget, now, attemptMsMax: args.attemptMsMax ?? 15_000 }),
    mailer: { deliver: () => Promise.reject(new Error('this test has no mail server')) },
    box: args.box,
    now,
    baseUrl: 'https://api.test',
    origins: { telegram: nowhere, discord: nowhere, slack: nowhere },
  });
};
