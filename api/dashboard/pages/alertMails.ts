import type { MailConfirmations } from '../../webhooks/mailConfirmations.ts';
import { type Page, show } from '../page.ts';

/** What pages behind links in mails about alerts need. */
export interface AlertMailPorts {
  readonly mailConfirmations: MailConfirmations;
}

interface Step {
  readonly path: `/${string}`;
  readonly title: string;
  readonly question: string;
  readonly button: string;
  readonly done: string;
  readonly failed: string;
  readonly isOneClick?: true;
  readonly act: (token: string) => Promise<boolean>;
}

/** A link only asks: programs that look into mails follow links too, and must not decide for their reader. */
const pagesOf = ({
  path,
  title,
  question,
  button,
  done,
  failed,
  isOneClick,
  act,
}: Step): Page[] => [
  {
    method: 'get',
    path,
    access: 'public',
    handle: async ({ query }) =>
      show('alertMails', title, { token: query.text('token'), action: path, question, button }),
  },
  {
    method: 'post',
    path,
    access: 'public',
    ...(isOneClick && { isOneClick }),
    handle: async ({ form, query }) => {
      const isDone = await act(form.text('token') || query.text('token'));
      const outcome = isDone ? done : failed;
      return show('alertMailsDone', title, { outcome }, { status: isDone ? 200 : 400 });
    },
  },
];

/** Pages by which the owner of an e-mail address agrees to alerts or has them stopped, without an account. */
export const alertMailPages = ({ mailConfirmations }: AlertMailPorts): Page[] => [
  ...pagesOf({
    path: '/dashboard/mails/confirm',
    title: 'Alerts by mail',
    question: 'Shall alerts about tokens be sent to your address?',
    button: 'Send them',
    done: 'Alerts will be sent to your address. Each mail has a link that stops them.',
    failed: 'The link is out of date or was used. Have a new one sent.',
    act: (token) => mailConfirmations.confirm(token),
  }),
  ...pagesOf({
    path: '/dashboard/mails/stop',
    title: 'Alerts by mail',
    question: 'Shall no more of these alerts be sent to your address?',
    button: 'Stop them',
    done: 'Stopped. Nothing more is sent unless you confirm your address again.',
    failed: 'These alerts are not sent any more.',
    isOneClick: true,
    act: (token) => mailConfirmations.stop(token),
  }),
];
