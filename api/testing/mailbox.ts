import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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
      return { to: field('To'), subject: field('Subject'), text: body.join('\r\n\r\n') };
    });
};

/** The link in a mail. */
export const linkIn = (text: string): string => /https?:\/\/\S+token=\S+/.exec(text)?.[0] ?? '';
