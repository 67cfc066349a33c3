import { z } from 'zod';
import { passwordField } from '../../accounts/password.ts';
import { emailField } from '../../server/schema.ts';
import {
  type Answer,
  definePages,
  type FieldErrors,
  goTo,
  inLanguageOf,
  show,
  showForm,
  type Visit,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { type AccountPorts, subjectOf } from './accountPorts.ts';
import { fieldErrors } from './fields.ts';

const resetSchema = z.object({ accountId: z.string() });

const forgotForm = async (): Promise<Answer> => show('forgot', 'forgot', { email: '', errors: {} });

const mailLink = async (ports: AccountPorts, email: string, visit: Visit): Promise<void> => {
  const account = await ports.accounts.findByEmail(email);
  if (!account) return;
  const token = await ports.oneTime.put('reset', { accountId: account.id });
  const say = phrasesIn(visit.language);
  const url = ports.baseUrl + inLanguageOf(visit, `/dashboard/reset?token=${token}`);
  ports.mailer.send({ to: email, subject: say('reset'), text: say('mail_resetText', { url }) });
};

/** Mails a link to the owner of the address. The answer does not reveal whether there is an account. */
const forgot = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const given = visit.form.text('email');
  const parsed = emailField.safeParse(given);
  if (!parsed.success) {
    const { form: fault = '' } = fieldErrors(parsed.error, visit);
    const errors = { email: fault };
    return show('forgot', 'forgot', { email: given, errors }, { status: 400 });
  }
  const waitS = await ports.throttle.waitS('mail', subjectOf(parsed.data, visit));
  if (waitS === 0) await mailLink(ports, parsed.data, visit);
  return show('mailSent', 'mailSent', {
    email: parsed.data,
    what: 'mailOfReset',
    again: '/dashboard/forgot',
    folder: ports.mailFolder,
  });
};

const showReset = (token: string, errors: FieldErrors) =>
  showForm('reset', 'reset', { token, errors });

const resetForm = async (_ports: unknown, { query }: Visit): Promise<Answer> =>
  showReset(query.text('token'), {});

/** Sets the password and ends every session, so anyone who knew the old one is signed out. */
const reset = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const { form } = visit;
  const token = form.text('token');
  const password = passwordField.safeParse(form.text('password'));
  if (!password.success) {
    const { form: fault = '' } = fieldErrors(password.error, visit);
    return showReset(token, { password: fault });
  }
  const taken = await ports.oneTime.take('reset', token, resetSchema);
  if (!taken) return showReset('', { form: phrasesIn(visit.language)('linkUsed') });
  await ports.accounts.setPassword(taken.accountId, await ports.passwords.hash(password.data));
  await ports.sessions.closeOthers(taken.accountId);
  // Whoever reads the owner's mail gets past the password, but not past the second factor.
  const account = await ports.accounts.find(taken.accountId);
  if (account) await ports.throttle.trust('sign-in', subjectOf(account.email, visit));
  return goTo('/dashboard/sign-in?done=password-changed', { session: null });
};

/** Pages for resetting a forgotten password. */
export const resetPages = definePages<AccountPorts>([
  ['public', 'get', '/dashboard/forgot', forgotForm],
  ['public', 'post', '/dashboard/forgot', forgot],
  ['public', 'get', '/dashboard/reset', resetForm],
  ['public', 'post', '/dashboard/reset', reset],
]);
