import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits as text for a cookie or a link. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Whether a text can be a token at all. */
export const isToken = (text: string | undefined): text is string =>
  text !== undefined && TOKEN_PATTERN.test(text);

/** What is stored instead of a token. A slow hash is not needed because the token is random. */
export const digestToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');
