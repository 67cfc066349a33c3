import { z } from 'zod';
import { passwordField } from '../../accounts/password.ts';
import { emailField } from '../../server/schema.ts';
import { type FieldErrors, goTo, type Page, show, showForm } from '../page.ts';
import { type AccountPorts, subjectOf } from './accountPorts.ts';
import { fieldErrors } from './fields.ts';

const resetSchema = z.object({ accountId: z.string() });

const forgotForm = (): Page => ({
  method: 'get',
  path: '/dashboard/forgot',
  access: 'public',
  handle: async () => show('forgot', 'Forgot the password', { email: '', errors: {} }),
});

const mailLink = async (ports: AccountPorts, email: string): Promise<void> => {
  const account = await ports.accounts.findByEmail(email);
  if (!account) return;
  const token = await ports.oneTime.put('reset', { accountId: account.id });
  ports.mailer.send({
    to: email,
    subject: 'Choose a new password',
    text: `Open this link within an hour to choose a new password:

${ports.baseUrl}/dashboard/reset?token=${token}

If you did not ask for it, ignore this mail: your password stays as it is.
`,
  });
};

/** Mails a link to the owner of the address. Whether there is one, the answer does not show. */
const forgot = (ports: AccountPorts): Page => ({
  method: 'post',
  path: '/dashboard/forgot',
  access: 'public',
  handle: async (visit) => {
    const given = visit.form.text('email');
    const parsed = emailField.safeParse(given);
    if (!parsed.success) {
      const errors = { email: fieldErrors(parsed.error)['form'] ?? 'must be an e-mail address' };
      return show('forgot', 'Forgot the password', { email: given, errors }, { status: 400 });
    }
    const waitS = await ports.throttle.waitS('mail', subjectOf(parsed.data, visit));
    if (waitS === 0) await mailLink(ports, parsed.data);
    const what = 'a link to choose a new password, if the address has an account';
    return show('mailSent', 'Look into your mail', {
      email: parsed.data,
      what,
      folder: ports.mailFolder,
    });
  },
});

const showReset = (token: string, errors: FieldErrors) =>
  showForm('reset', 'Choose a new password', { token, errors });

const resetForm = (): Page => ({
  method: 'get',
  path: '/dashboard/reset',
  access: 'public',
  handle: async ({ query }) => showReset(query.text('token'), {}),
});

/** Sets the password and ends every session: whoever knew the old one is out. */
const reset = (ports: AccountPorts): Page => ({
  method: 'post',
  path: '/dashboard/reset',
  access: 'public',
  handle: async (visit) => {
    const { form } = visit;
    const token = form.text('token');
    const password = passwordField.safeParse(form.text('password'));
    if (!password.success) {
      return showReset(token, { password: password.error.issues[0]?.message ?? 'is not allowed' });
    }
    const taken = await ports.oneTime.take('reset', token, resetSchema);
    if (!taken) return showReset('', { form: 'The link is out of date or was used.' });
    await ports.accounts.setPassword(taken.accountId, await ports.passwords.hash(password.data));
    await ports.sessions.closeOthers(taken.accountId);
    // Who reads the owner's mail gets past those who try passwords; not past the second factor.
    const account = await ports.accounts.find(taken.accountId);
    if (account) await ports.throttle.trust('sign-in', subjectOf(account.email, visit));
    return goTo('/dashboard/sign-in?done=password-changed', { session: null });
  },
});

/** Pages for who forgot the password. */
export const resetPages = (ports: AccountPorts): Page[] => [
  forgotForm(),
  forgot(ports),
  resetForm(),
  reset(ports),
];
