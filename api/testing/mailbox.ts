import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Undoes the transfer encoding of mails in plain text (RFC 2045 section 6.7). */
const decode = (text: string): string =>
  text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));

/** Mails a service under test wrote into a folder, oldest first. */
export const readMails = (folder: string): { to: string; subject: string; text: string }[] => {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .toSorted()
    .map((name) => {
      const [head = '', ...body] = readFileSync(join(folder, name), 'utf8').split('\r\n\r\n');
      const field = (wanted: string): string =>
        new RegExp(`^${wanted}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
      const isEncoded = /quoted-printable/i.test(field('Content-Transfer-Encoding'));
      const text = body.join('\r\n\r\n');
      return { to: field('To'), subject: field('Subject'), text: isEncoded ? decode(text) : text };
    });
};

/** The link in a mail. */
export const linkIn = (text: string): string => /https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '';
