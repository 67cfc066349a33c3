import type { MailConfirmations } from '../../webhooks/mailConfirmations.ts';
import { type Answer, definePages, show, type Visit } from '../page.ts';
import type { Phrase } from '../phrases.ts';

/** Dependencies of the pages behind links in alert mails. */
export interface AlertMailPorts {
  readonly mailConfirmations: MailConfirmations;
}

interface Step {
  readonly path: `/${string}`;
  readonly question: Phrase;
  readonly button: Phrase;
  readonly done: Phrase;
  readonly failed: Phrase;
  readonly act: (confirmations: MailConfirmations, token: string) => Promise<boolean>;
}

const CONFIRM: Step = {
  path: '/dashboard/mails/confirm',
  question: 'mailsAsk',
  button: 'mailsSend',
  done: 'mailsConfirmed',
  failed: 'mailsTooLate',
  act: (confirmations, token) => confirmations.confirm(token),
};
const STOP: Step = {
  path: '/dashboard/mails/stop',
  question: 'mailsAskStop',
  button: 'mailsStop',
  done: 'mailsStopped',
  failed: 'mailsNone',
  act: (confirmations, token) => confirmations.stop(token),
};

/** A link only opens a question: mail scanners follow links too, and must not decide for the reader. */
const ask =
  ({ path: action, question, button }: Step) =>
  async (_ports: unknown, { query }: Visit): Promise<Answer> =>
    show('alertMails', 'mails', { token: query.text('token'), action, question, button });

const decide =
  ({ act, done, failed }: Step) =>
  async ({ mailConfirmations }: AlertMailPorts, { form, query }: Visit): Promise<Answer> => {
    const isDone = await act(mailConfirmations, form.text('token') || query.text('token'));
    const outcome = isDone ? done : failed;
    return show('alertMailsDone', 'mails', { outcome }, { status: isDone ? 200 : 400 });
  };

/** Pages on which the owner of an e-mail address accepts or stops alerts, without an account. */
export const alertMailPages = definePages<AlertMailPorts>([
  ['public', 'get', CONFIRM.path, ask(CONFIRM)],
  ['public', 'post', CONFIRM.path, decide(CONFIRM)],
  ['public', 'get', STOP.path, ask(STOP)],
  ['public', 'post', STOP.path, decide(STOP), { isOneClick: true }],
]);
