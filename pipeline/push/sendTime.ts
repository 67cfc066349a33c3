import type { Severity } from '../../shared/messages/alertMessage.ts';
import { isQuiet, nextTimeOfDay } from '../../shared/rules/quietHours.ts';
import { isForPeople } from '../../shared/webhooks/sendEvents.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';

const HOUR_MS = 3_600_000;
/** Time of a daily digest if there are no quiet hours to end. */
const DAILY_AT = { to: '08:00', timezone: 'UTC' };

type Chosen = Pick<Webhook, 'kind' | 'digest' | 'quietHours'>;

const digestTime = ({ digest, quietHours }: Chosen, atMs: number): number => {
  switch (digest) {
    case 'none':
      return atMs;
    case 'hourly':
      return (Math.floor(atMs / HOUR_MS) + 1) * HOUR_MS;
    case 'daily': {
      const { to, timezone } = quietHours ?? DAILY_AT;
      return nextTimeOfDay(to, timezone, atMs);
    }
  }
};

/**
 * When an event is due at a target (Unix milliseconds): receivers get each at once; people with the next digest, and
 * at the end of their quiet hours. Events due together are sent together. The same event is always due at the same
 * time.
 */
export const sendTime = (webhook: Chosen, severity: Severity, createdAtMs: number): number => {
  if (!isForPeople(webhook)) return createdAtMs;
  const dueMs = digestTime(webhook, createdAtMs);
  const { quietHours } = webhook;
  return quietHours && isQuiet(quietHours, severity, dueMs)
    ? nextTimeOfDay(quietHours.to, quietHours.timezone, dueMs)
    : dueMs;
};
