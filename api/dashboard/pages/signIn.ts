import { z } from 'zod';
import type { Account } from '../../accounts/accountStore.ts';
import { digestRecoveryCode } from '../../accounts/secondFactor.ts';
import {
  type AccountVisit,
  type Answer,
  definePages,
  goTo,
  type PublicVisit,
  safePath,
  show,
  type Visit,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { type AccountPorts, subjectOf, tooManyAttempts } from './accountPorts.ts';

const EMAIL_LENGTH_MAX = 254;
/** The messages of an operator's link. */
const ALERTS = '/dashboard/alerts';
const halfwaySchema = z.object({ accountId: z.string(), next: z.string() });

const showForm = (
  ports: AccountPorts,
  given: { email: string; next: string; error?: string; status?: number; retryAfterS?: number },
): Answer =>
  show(
    'signIn',
    'signIn',
    {
      email: given.email,
      next: given.next,
      errors: given.error === undefined ? {} : { form: given.error },
      provider: ports.identityProvider?.name,
    },
    {
      status: given.status ?? 200,
      ...(given.retryAfterS === undefined ? {} : { retryAfterS: given.retryAfterS }),
    },
  );

/** A new session for a user who proved to own the account; an earlier session of the browser ends. */
const admit = async (
  ports: AccountPorts,
  account: Account,
  visit: Visit,
  next: string,
): Promise<Answer> => {
  const before = visit.cookie('session');
  if (before !== undefined) await ports.sessions.close(before);
  await ports.throttle.trust('sign-in', subjectOf(account.email, visit));
  await ports.throttle.trust('second-factor', subjectOf(account.id, visit));
  const session = await ports.sessions.open(account.id, visit.browser);
  return goTo(safePath(next), { session, visitor: null, secondFactor: null, oidc: null });
};

/** The next step after the password: the second factor if the account has one. */
export const admitOrAsk = async (
  ports: AccountPorts,
  account: Account,
  visit: Visit,
  next: string,
): Promise<Answer> => {
  if (account.totpSecret === undefined) return admit(ports, account, visit, next);
  const halfway = { accountId: account.id, next };
  const secondFactor = await ports.oneTime.put('second-factor', halfway);
  return goTo('/dashboard/second-factor', { secondFactor, oidc: null });
};

const signInForm = async (ports: AccountPorts, { by, query }: PublicVisit): Promise<Answer> => {
  const next = safePath(query.text('next'));
  return by ? goTo(next) : showForm(ports, { email: '', next });
};

const signIn = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const { form } = visit;
  const say = phrasesIn(visit.language);
  const email = form.text('email').trim().toLowerCase().slice(0, EMAIL_LENGTH_MAX);
  const next = safePath(form.text('next'));
  const retryAfterS = await ports.throttle.waitS('sign-in', subjectOf(email, visit));
  if (retryAfterS > 0) {
    const error = `${tooManyAttempts(retryAfterS, visit)} ${say('orNewPassword')}`;
    return showForm(ports, { email, next, error, status: 429, retryAfterS });
  }
  const account = await ports.accounts.findByEmail(email);
  if (!(await ports.passwords.isRight(form.text('password'), account?.passwordHash)) || !account) {
    const error = say('wrongPair');
    return showForm(ports, { email, next, error, status: 401 });
  }
  return admitOrAsk(ports, account, visit, next);
};

const enterSchema = z.object({ accountId: z.string() });

/** The link that the operator was given for an account: it works once. */
const enter = async (ports: AccountPorts, visit: PublicVisit): Promise<Answer> => {
  const found = await ports.oneTime.take('enter', visit.query.text('token'), enterSchema);
  const account = found && (await ports.accounts.find(found.accountId));
  if (!account) return goTo(visit.by ? ALERTS : '/dashboard/sign-in?done=link-used');
  return admitOrAsk(ports, account, visit, ALERTS);
};

const secondFactorForm = async (): Promise<Answer> =>
  show('secondFactor', 'secondFactor', { errors: {} });

/** Whether the code is from the app, or a recovery code, which is then used up. */
const isCodeRight = async (
  ports: AccountPorts,
  account: Account,
  code: string,
  nowMs: number,
): Promise<boolean> => {
  const { id: accountId, email, totpSecret } = account;
  if (totpSecret === undefined) return false;
  const secret = ports.secondFactor.open(totpSecret, accountId);
  const attempt = { accountId, email, secret, code, nowMs };
  if (await ports.secondFactor.take(attempt)) return true;
  return ports.accounts.takeRecoveryCode(accountId, digestRecoveryCode(code));
};

const secondFactor = async (ports: AccountPorts, visit: Visit): Promise<Answer> => {
  const token = visit.cookie('secondFactor');
  const halfway = await ports.oneTime.peek('second-factor', token, halfwaySchema);
  const account = halfway && (await ports.accounts.find(halfway.accountId));
  if (!halfway || !account) return goTo('/dashboard/sign-in', { secondFactor: null });
  const refuse = (message: string, extra: { status: number; retryAfterS?: number }) =>
    show('secondFactor', 'secondFactor', { errors: { form: message } }, extra);
  const retryAfterS = await ports.throttle.waitS('second-factor', subjectOf(account.id, visit));
  if (retryAfterS > 0)
    return refuse(tooManyAttempts(retryAfterS, visit), { status: 429, retryAfterS });
  if (!(await isCodeRight(ports, account, visit.form.text('code'), visit.nowMs))) {
    return refuse(phrasesIn(visit.language)('wrongCode'), { status: 401 });
  }
  if (!(await ports.oneTime.take('second-factor', token, halfwaySchema))) {
    return goTo('/dashboard/sign-in', { secondFactor: null });
  }
  return admit(ports, account, visit, halfway.next);
};

const signOut = async (ports: AccountPorts, { by }: AccountVisit): Promise<Answer> => {
  await ports.sessions.close(by.token);
  return goTo('/dashboard/sign-in?done=signed-out', { session: null });
};

/** Pages for signing in and out. */
export const signInPages = definePages<AccountPorts>([
  ['public', 'get', '/dashboard/sign-in', signInForm],
  ['public', 'post', '/dashboard/sign-in', signIn],
  ['public', 'get', '/dashboard/enter', enter],
  ['public', 'get', '/dashboard/second-factor', secondFactorForm],
  ['public', 'post', '/dashboard/second-factor', secondFactor],
  ['account', 'post', '/dashboard/sign-out', signOut],
]);
