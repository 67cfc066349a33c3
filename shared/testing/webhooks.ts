import type { SecretBox } from '../platform/secretBox.ts';
import { createSendDelivery } from '../webhooks/sendDelivery.ts';
import { createSendEvents, type SendEvents } from '../webhooks/sendEvents.ts';
import { createFindTarget, systemResolve } from '../webhooks/targetAddress.ts';
import { startHttp } from './startHttp.ts';

/** Starts a receiver; it answers 204 by default. @param address of this machine */
export const startReceiver = async (
  answer: Parameters<typeof startHttp>[0] = (_, response) => response.writeHead(204).end(),
  address?: string,
) => {
  const server = await startHttp(answer, address);
  return {
    ...server,
    url: `${server.origin}/hook`,
    /** Distinct ids of events that arrived. */
    ids: (): Set<string> =>
      new Set(server.received.map(({ headers }) => headers['webhook-id'] ?? '')),
  };
};
/** A receiver of webhooks on a free port of this machine. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

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
