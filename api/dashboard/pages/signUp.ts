import { z } from 'zod';
import { passwordField } from '../../accounts/password.ts';
import { emailField } from '../../server/schema.ts';
import {
  type Answer,
  definePages,
  type FieldErrors,
  goTo,
  inLanguageOf,
  type PublicVisit,
  show,
  showForm,
  type Visit,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { type AccountPorts, subjectOf, tooManyAttempts } from './accountPorts.ts';
import { fieldErrors } from './fields.ts';

const pendingSchema = z.object({ email: z.string(), passwordHash: z.string() });
const formSchema = z.object({ email: emailField, password: passwordField });

const showSignUp = (email: string, errors: FieldErrors, ports: AccountPorts) =>
  showForm('signUp', 'createAccount', {
    email,
    errors,
    provider: ports.identityProvider?.name,
  });

/**
 * Requests an account. The answer is the same if the address already has one: only its owner, who reads the mail,
 * learns that.
 */
const askForAccount = async (
  ports: AccountPorts,
  { email, password }: z.output<typeof formSchema>,
  visit: Visit,
): Promise<void> => {
  const say = phrasesIn(visit.language);
  const link = (path: string): string => ports.baseUrl + inLanguageOf(visit, path);
  const passwordHash = await ports.passwords.hash(password);
  const known = await ports.accounts.findByEmail(email);
  if (known) {
    const links = { signIn: link('/dashboard/sign-in'), forgot: link('/dashboard/forgot') };
    const text = say('mail_knownText', links);
    ports.mailer.send({ to: email, subject: say('mail_known'), text });
    return;
  }
  const token = await ports.oneTime.put('sign-up', { email, passwordHash });
  const text = say('mail_confirmText', { url: link(`/dashboard/confirm?token=${token}`) });
  ports.mailer.send({ to: email, subject: say('mail_confirm'), text });
};

const signUpForm = async (ports: AccountPorts, { by }: PublicVisit): Promise<Answer> =>
  by ? goTo('/dashboard') : showSignUp('', {}, ports);

const signUp = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const { form } = visit;
  const given = { email: form.text('email'), password: form.text('password') };
  const parsed = formSchema.safeParse(given);
  if (!parsed.success) return showSignUp(given.email, fieldErrors(parsed.error, visit), ports);
  const waitS = await ports.throttle.waitS('mail', subjectOf(parsed.data.email, visit));
  if (waitS === 0) await askForAccount(ports, parsed.data, visit);
  return show('mailSent', 'mailSent', {
    email: parsed.data.email,
    what: 'mailOfSignUp',
    again: '/dashboard/sign-up',
    folder: ports.mailFolder,
  });
};

const confirmForm = async (_ports: unknown, { query }: Visit): Promise<Answer> =>
  show('confirm', 'finishTitle', { token: query.text('token'), errors: {} });

/**
 * Creates the account. The password is asked for again: otherwise somebody could sign up with another person's
 * address, and that person would confirm an account whose password the stranger knows.
 */
const confirm = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const { form, browser } = visit;
  const token = form.text('token');
  const say = phrasesIn(visit.language);
  const refuse = (message: string) =>
    show('confirm', 'finishTitle', { token, errors: { form: message } }, { status: 400 });
  const pending = await ports.oneTime.peek('sign-up', token, pendingSchema);
  if (!pending) return refuse(say('linkUsed'));
  const subject = subjectOf(pending.email, visit);
  const waitS = await ports.throttle.waitS('sign-in', subject);
  if (waitS > 0) return refuse(tooManyAttempts(waitS, visit));
  if (!(await ports.passwords.isRight(form.text('password'), pending.passwordHash))) {
    return refuse(say('notChosenPassword'));
  }
  const taken = await ports.oneTime.take('sign-up', token, pendingSchema);
  const account = taken && (await ports.accounts.create(taken));
  if (!account) return refuse(say('accountByNow'));
  await ports.throttle.trust('sign-in', subject);
  const session = await ports.sessions.open(account.id, browser);
  return goTo('/dashboard/keys?done=welcome', { session, visitor: null });
};

/** Pages for creating an account. */
export const signUpPages = definePages<AccountPorts>([
  ['public', 'get', '/dashboard/sign-up', signUpForm],
  ['public', 'post', '/dashboard/sign-up', signUp],
  ['public', 'get', '/dashboard/confirm', confirmForm],
  ['public', 'post', '/dashboard/confirm', confirm],
]);
