import type { MailConfirmations } from '../../webhooks/mailConfirmations.ts';
import { type Page, show } from '../page.ts';
import type { Phrase } from '../phrases.ts';

/** What pages behind links in mails about alerts need. */
export interface AlertMailPorts {
  readonly mailConfirmations: MailConfirmations;
}

interface Step {
  readonly path: `/${string}`;
  readonly question: Phrase;
  readonly button: Phrase;
  readonly done: Phrase;
  readonly failed: Phrase;
  readonly isOneClick?: true;
  readonly act: (token: string) => Promise<boolean>;
}

/** A link only asks: programs that look into mails follow links too, and must not decide for their reader. */
const pagesOf = ({ path, question, button, done, failed, isOneClick, act }: Step): Page[] => [
  {
    method: 'get',
    path,
    access: 'public',
    handle: async ({ query }) =>
      show('alertMails', 'mails', { token: query.text('token'), action: path, question, button }),
  },
  {
    method: 'post',
    path,
    access: 'public',
    ...(isOneClick && { isOneClick }),
    handle: async ({ form, query }) => {
      const isDone = await act(form.text('token') || query.text('token'));
      const outcome = isDone ? done : failed;
      return show('alertMailsDone', 'mails', { outcome }, { status: isDone ? 200 : 400 });
    },
  },
];

/** Pages by which the owner of an e-mail address agrees to alerts or has them stopped, without an account. */
export const alertMailPages = ({ mailConfirmations }: AlertMailPorts): Page[] => [
  ...pagesOf({
    path: '/dashboard/mails/confirm',
    question: 'mailsAsk',
    button: 'mailsSend',
    done: 'mailsConfirmed',
    failed: 'mailsTooLate',
    act: (token) => mailConfirmations.confirm(token),
  }),
  ...pagesOf({
    path: '/dashboard/mails/stop',
    question: 'mailsAskStop',
    button: 'mailsStop',
    done: 'mailsStopped',
    failed: 'mailsNone',
    isOneClick: true,
    act: (token) => mailConfirmations.stop(token),
  }),
];
