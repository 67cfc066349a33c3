import { z } from 'zod';
import { passwordField } from '../../accounts/password.ts';
import { emailField } from '../../server/schema.ts';
import { type FieldErrors, goTo, type Page, show, showForm } from '../page.ts';
import { type AccountPorts, subjectOf, tooManyAttempts } from './accountPorts.ts';
import { fieldErrors } from './fields.ts';

const pendingSchema = z.object({ email: z.string(), passwordHash: z.string() });
const formSchema = z.object({ email: emailField, password: passwordField });

const showSignUp = (email: string, errors: FieldErrors, ports: AccountPorts) =>
  showForm('signUp', 'Create an account', {
    email,
    errors,
    provider: ports.identityProvider?.name,
  });

/**
 * Asks for an account. The answer is the same whether the address has one already: only its owner,
 * who reads the mail, learns that.
 */
const askForAccount = async (
  ports: AccountPorts,
  { email, password }: z.output<typeof formSchema>,
): Promise<void> => {
  const passwordHash = await ports.passwords.hash(password);
  const known = await ports.accounts.findByEmail(email);
  if (known) {
    ports.mailer.send({
      to: email,
      subject: 'You already have an account',
      text: `Somebody, probably you, asked for an account for this address. It has one already.

Sign in:              ${ports.baseUrl}/dashboard/sign-in
Forgot the password?  ${ports.baseUrl}/dashboard/forgot

If it was not you, nothing has changed and nothing needs to be done.
`,
    });
    return;
  }
  const token = await ports.oneTime.put('sign-up', { email, passwordHash });
  ports.mailer.send({
    to: email,
    subject: 'Confirm your e-mail address',
    text: `Open this link within a day and enter your password to finish your account:

${ports.baseUrl}/dashboard/confirm?token=${token}

If you did not ask for an account, ignore this mail: without your click there is none.
`,
  });
};

const signUpForm = (ports: AccountPorts): Page => ({
  method: 'get',
  path: '/dashboard/sign-up',
  access: 'public',
  handle: async ({ by }) => (by ? goTo('/dashboard') : showSignUp('', {}, ports)),
});

const signUp = (ports: AccountPorts): Page => ({
  method: 'post',
  path: '/dashboard/sign-up',
  access: 'public',
  handle: async (visit) => {
    const { form } = visit;
    const given = { email: form.text('email'), password: form.text('password') };
    const parsed = formSchema.safeParse(given);
    if (!parsed.success) return showSignUp(given.email, fieldErrors(parsed.error), ports);
    const waitS = await ports.throttle.waitS('mail', subjectOf(parsed.data.email, visit));
    if (waitS === 0) await askForAccount(ports, parsed.data);
    return show('mailSent', 'Look into your mail', {
      email: parsed.data.email,
      what: 'a link that finishes your account',
      folder: ports.mailFolder,
    });
  },
});

const confirmForm = (): Page => ({
  method: 'get',
  path: '/dashboard/confirm',
  access: 'public',
  handle: async ({ query }) =>
    show('confirm', 'Finish your account', { token: query.text('token'), errors: {} }),
});

/**
 * Finishes an account. The password is asked for again: who only reads the mail, because somebody else
 * typed their address, must not end up with an account whose password that somebody knows.
 */
const confirm = (ports: AccountPorts): Page => ({
  method: 'post',
  path: '/dashboard/confirm',
  access: 'public',
  handle: async (visit) => {
    const { form, browser } = visit;
    const token = form.text('token');
    const refuse = (message: string) =>
      show('confirm', 'Finish your account', { token, errors: { form: message } }, { status: 400 });
    const pending = await ports.oneTime.peek('sign-up', token, pendingSchema);
    if (!pending) return refuse('The link is out of date or was used. Ask for a new one.');
    const subject = subjectOf(pending.email, visit);
    const waitS = await ports.throttle.waitS('sign-in', subject);
    if (waitS > 0) return refuse(tooManyAttempts(waitS));
    if (!(await ports.passwords.isRight(form.text('password'), pending.passwordHash))) {
      return refuse('This is not the password you chose.');
    }
    const taken = await ports.oneTime.take('sign-up', token, pendingSchema);
    const account = taken && (await ports.accounts.create(taken));
    if (!account) return refuse('This address has an account by now. Sign in instead.');
    await ports.throttle.trust('sign-in', subject);
    const session = await ports.sessions.open(account.id, browser);
    return goTo('/dashboard/keys?done=welcome', { session, visitor: null });
  },
});

/** Pages that make an account. */
export const signUpPages = (ports: AccountPorts): Page[] => [
  signUpForm(ports),
  signUp(ports),
  confirmForm(),
  confirm(ports),
];
