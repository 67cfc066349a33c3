import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version of the layout, so that another one can follow. */
const LAYOUT = 'v1';
/** Separates the derived key from all other uses of the same secret. */
const PURPOSE = 'webhook secrets';

/** A box whose key is derived from a configured secret (HKDF-SHA256). */
export const createSecretBox = (master: string) => {
  const key = Buffer.from(hkdfSync('sha256', master, '', PURPOSE, KEY_BYTES));
  return {
    seal: (secret: string, name: string): string => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(name));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${LAYOUT}.${Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64')}`;
    },
    /** @throws Error for a text that was changed, or sealed with another key or for another name. */
    open: (sealed: string, name: string): string => {
      const [layout, text = ''] = sealed.split('.');
      if (layout !== LAYOUT) throw new Error(`sealed text of layout ${layout}`);
      const bytes = Buffer.from(text, 'base64');
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(name));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
    },
  };
};
/** Encrypts secrets for storage (authenticated). A sealed text opens only with the name it was sealed for. */
export type SecretBox = ReturnType<typeof createSecretBox>;
