/** API keys by their prefix; a truncated key matches too. */
const KEY_LIKE = /(tsd_(?:live|test)_)[0-9A-Za-z]+/g;
const WEBHOOK_SECRET_LIKE = /(whsec_)[0-9A-Za-z+/]+=*/g;

/** Replaces everything that looks like an API key or a webhook secret. */
export const redactSecrets = (text: string): string =>
  text.replace(KEY_LIKE, '$1[redacted]').replace(WEBHOOK_SECRET_LIKE, '$1[redacted]');
