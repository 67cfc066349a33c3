import { createHmac } from 'node:crypto';

/** What is stored instead of a key: HMAC-SHA256 under the pepper. A slow hash is needless, the key is random. */
export const digestKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');

/** Redis key of an API key's record (a hash). */
export const keyRecordKey = (digest: string): string => `key:${digest}`;

/** Redis key that leads from a key's id to its digest. */
export const keyIdKey = (id: string): string => `key-id:${id}`;
