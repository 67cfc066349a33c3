import type { SecretBox } from './secretBox.ts';
import type { Webhook } from './webhook.ts';

/** The secrets that sign for a webhook at a moment (Unix milliseconds), in the clear, the newest first. */
export const signingSecrets = (
  webhook: Webhook,
  box: Pick<SecretBox, 'open'>,
  nowMs: number,
): string[] => {
  const isOldOneValid = webhook.previousSecret !== '' && webhook.previousSecretUntilMs > nowMs;
  const sealed = [webhook.secret, ...(isOldOneValid ? [webhook.previousSecret] : [])];
  return sealed.map((secret) => box.open(secret, webhook.id));
};
