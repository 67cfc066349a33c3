import { createHmac } from 'node:crypto';

/** What is stored instead of a key: HMAC-SHA256 under the pepper. A slow hash is needless, the key is random. */
export const digestKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');
