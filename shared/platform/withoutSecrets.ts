/** API keys by how they begin; a part of one counts too. */
const KEY_LIKE = /(tsd_(?:live|test)_)[0-9A-Za-z]+/g;
const WEBHOOK_SECRET_LIKE = /(whsec_)[0-9A-Za-z+/]+=*/g;

/** A text without anything that looks like an API key or a webhook secret. */
export const withoutSecrets = (text: string): string =>
  text.replace(KEY_LIKE, '$1[redacted]').replace(WEBHOOK_SECRET_LIKE, '$1[redacted]');
