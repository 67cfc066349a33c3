import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { ulid } from 'ulid';
import { errorMessage } from './errors.ts';
import type { Logger } from './logger.ts';

/** A plain-text mail. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Unsubscribe link for its reader. */
  readonly stopUrl?: string;
  /** The same for every copy of a mail, so that mailboxes show it once. */
  readonly messageId?: string;
}

const TIMEOUT_MS = 20_000;
/** Mails being sent; more are refused, so that a hanging mail server cannot fill the memory. */
const SENDING_MAX = 200;

/** A mail without its text, which is appended unchanged: the library would break its long lines. */
const WITHOUT_TEXT = {
  alternatives: [{ contentType: 'text/plain; charset=utf-8', content: '' }],
};

/**
 * A folder in place of a mail server: one file per mail, readable by its owner only, from which a link can be copied.
 */
/** Header fields. The address is passed as a structured value, so it cannot inject a second one. */
const headOf = (from: string, { to, subject, stopUrl, messageId }: Mail) => ({
  from,
  to: { name: '', address: to },
  subject,
  // With both fields a mail program can unsubscribe by one POST, without showing the page (RFC 8058).
  ...(stopUrl === undefined
    ? {}
    : {
        list: { unsubscribe: stopUrl },
        headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      }),
  ...(messageId === undefined ? {} : { messageId }),
});

const sendToFolder = (folder: string, from: string) => {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return async (mail: Mail): Promise<void> => {
    const head = headOf(from, mail);
    const headers = { ...head.headers, 'Content-Transfer-Encoding': '8bit' };
    const { message } = await transport.sendMail({ ...head, ...WITHOUT_TEXT, headers });
    const body = Buffer.from(mail.text.replace(/\r?\n/g, '\r\n'));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(join(folder, `${ulid()}.eml`), Buffer.concat([message as Buffer, body]), {
      mode: 0o600,
    });
  };
};

const sendBySmtp = (url: string, from: string) => {
  const transport = createTransport({
    url,
    pool: true,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return async (mail: Mail): Promise<void> => {
    await transport.sendMail({ ...headOf(from, mail), text: mail.text });
  };
};

/**
 * Sends mails by SMTP, or writes them into a folder if no server is given.
 * @param args.url `smtp://` or `smtps://` with user and password; absent to write files.
 */
export const createMailer = (args: {
  url?: string | undefined;
  folder: string;
  from: string;
  logger: Logger;
}) => {
  const { url, folder, from, logger } = args;
  const deliver = url === undefined ? sendToFolder(folder, from) : sendBySmtp(url, from);
  if (url === undefined) logger.info({ folder }, 'mails are written to this folder');
  const sending = new Set<Promise<void>>();
  return {
    /**
     * Resolves when the mail server has accepted it. @throws Error of nodemailer, with `responseCode` if the server
     * refused it
     */
    deliver,
    /** Returns at once; a mail that cannot be sent is logged, without its text. */
    send: (mail: Mail): void => {
      if (sending.size >= SENDING_MAX) {
        logger.error({ subject: mail.subject }, 'mail not sent: too many are under way');
        return;
      }
      const work = deliver(mail).catch((error) => {
        logger.error({ subject: mail.subject, reason: errorMessage(error) }, 'mail not sent');
      });
      sending.add(work);
      void work.finally(() => sending.delete(work));
    },
    /** Resolves when all mails are sent or have failed. */
    drain: async (): Promise<void> => {
      await Promise.all(sending);
    },
  };
};
/** Sends mails. */
export type Mailer = ReturnType<typeof createMailer>;
