import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'tsd_live_';
/** 30 characters of 62 are 178 bits. */
const RANDOM_LENGTH = 30;
/** 62^6 exceeds 2^32: any CRC-32 fits. */
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = /^tsd_(?:live|test)_[0-9A-Za-z]{36}$/;

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = `${ALPHABET[rest % ALPHABET.length]}${digits}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
};

/** A new random key: prefix, random part, CRC-32 of both in base 62. */
export const generateKey = (): string => {
  let key = PREFIX;
  for (let index = 0; index < RANDOM_LENGTH; index += 1) {
    key += ALPHABET[randomInt(ALPHABET.length)];
  }
  return key + checksum(key);
};

/** Whether a text has the form of a key with a correct checksum: rejects typos without a look-up. */
export const isWellFormedKey = (text: string): boolean =>
  KEY_PATTERN.test(text) &&
  checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** The part of a key that may be shown again: enough to recognise it, too little to use it. */
export const displayKey = (key: string): string =>
  `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;

/**
 * What is stored instead of a key: HMAC-SHA256 under the pepper. A slow hash is not needed because the key is random.
 */
export const digestKey = (pepper: string, key: string): string =>
  createHmac('sha256', pepper).update(key).digest('hex');
