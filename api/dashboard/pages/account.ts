import { passwordField } from '../../accounts/password.ts';
import {
  digestRecoveryCode,
  newRecoveryCodes,
  newTotpSecret,
  totpUri,
} from '../../accounts/secondFactor.ts';
import { faultIn } from '../faults.ts';
import {
  type AccountVisit,
  type Answer,
  definePages,
  type FieldErrors,
  goTo,
  show,
  showForm,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import type { AccountPorts } from './accountPorts.ts';
import { fieldErrors } from './fields.ts';

const showAccount = async (
  ports: AccountPorts,
  { by, nowMs }: AccountVisit,
  errors: FieldErrors = {},
): Promise<Answer> => {
  const sessions = await ports.sessions.list(by.account.id);
  return showForm('account', 'account', {
    nowMs,
    errors,
    sessions: sessions.map((session) => ({ ...session, isThis: session.id === by.session.id })),
    provider: ports.identityProvider?.name,
  });
};

/** Whether the owner of the account is at the browser: asked before actions that a thief would do first. */
const isOwner = async (ports: AccountPorts, { by, form }: AccountVisit): Promise<boolean> => {
  if (by.account.passwordHash === undefined) return true;
  const subject = { account: by.account.id, from: by.session.id };
  if ((await ports.throttle.waitS('owner', subject)) > 0) return false;
  const isRight = await ports.passwords.isRight(form.text('current'), by.account.passwordHash);
  if (isRight) await ports.throttle.trust('owner', subject);
  return isRight;
};

const notOwner = ({ language }: AccountVisit): string =>
  faultIn(language, 'is not the password of this account');

const changePassword = async (ports: AccountPorts, visit: AccountVisit): Promise<Answer> => {
  const { by, form } = visit;
  const password = passwordField.safeParse(form.text('password'));
  if (!password.success) {
    const { form: fault = '' } = fieldErrors(password.error, visit);
    return showAccount(ports, visit, { password: fault });
  }
  if (!(await isOwner(ports, visit))) {
    return showAccount(ports, visit, { current: notOwner(visit) });
  }
  await ports.accounts.setPassword(by.account.id, await ports.passwords.hash(password.data));
  await ports.sessions.closeOthers(by.account.id, by.session.id);
  return goTo('/dashboard/account?done=password-changed');
};

const closeSession = async (ports: AccountPorts, { by, params }: AccountVisit): Promise<Answer> => {
  await ports.sessions.closeById(by.account.id, params['id'] ?? '');
  return goTo('/dashboard/account?done=session-closed');
};

const closeOthers = async (ports: AccountPorts, { by }: AccountVisit): Promise<Answer> => {
  await ports.sessions.closeOthers(by.account.id, by.session.id);
  return goTo('/dashboard/account?done=session-closed');
};

/** The secret is carried encrypted in the form until a code proves that the app has it. */
const showTotp = async (
  ports: AccountPorts,
  { by }: AccountVisit,
  secret: string,
  errors: FieldErrors = {},
): Promise<Answer> => {
  // Imported lazily: few accounts need it, and it takes 8 MiB.
  const { toString: qrCode } = await import('qrcode');
  const picture = await qrCode(totpUri(secret, by.account.email), { type: 'svg', margin: 1 });
  return showForm('totp', 'secondFactor', {
    errors,
    secret,
    sealed: ports.secondFactor.seal(secret, by.account.id),
    picture: `data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`,
  });
};

const totpForm = async (ports: AccountPorts, visit: AccountVisit): Promise<Answer> =>
  showTotp(ports, visit, newTotpSecret());

/** The secret in the form, if this service encrypted it for this account. */
const sealedSecret = (ports: AccountPorts, { by, form }: AccountVisit): string | undefined => {
  try {
    return ports.secondFactor.open(form.text('sealed'), by.account.id);
  } catch {
    return undefined;
  }
};

const enableTotp = async (ports: AccountPorts, visit: AccountVisit): Promise<Answer> => {
  const { by, form, nowMs } = visit;
  const { id: accountId, email } = by.account;
  const secret = sealedSecret(ports, visit);
  if (secret === undefined) return goTo('/dashboard/account/second-factor');
  if (!(await isOwner(ports, visit))) {
    return showTotp(ports, visit, secret, { current: notOwner(visit) });
  }
  const attempt = { accountId, email, secret, code: form.text('code'), nowMs };
  if (!(await ports.secondFactor.take(attempt))) {
    const code = faultIn(visit.language, 'is not right; is the clock of your phone?');
    return showTotp(ports, visit, secret, { code });
  }
  const codes = newRecoveryCodes();
  const sealed = ports.secondFactor.seal(secret, accountId);
  await ports.accounts.enableTotp(accountId, sealed, codes.map(digestRecoveryCode));
  await ports.sessions.closeOthers(accountId, by.session.id);
  return show('recoveryCodes', 'recoveryCodes', { codes });
};

const disableTotp = async (ports: AccountPorts, visit: AccountVisit): Promise<Answer> => {
  if (!(await isOwner(ports, visit))) {
    return showAccount(ports, visit, { totp: phrasesIn(visit.language)('wrongPassword') });
  }
  await ports.accounts.disableTotp(visit.by.account.id);
  return goTo('/dashboard/account?done=second-factor-off');
};

/** Pages about a user's own account. */
export const accountPages = definePages<AccountPorts>([
  ['account', 'get', '/dashboard/account', showAccount, { section: 'account' }],
  ['account', 'post', '/dashboard/account/password', changePassword],
  ['account', 'post', '/dashboard/account/sessions/close-others', closeOthers],
  ['account', 'post', '/dashboard/account/sessions/:id/close', closeSession],
  ['account', 'get', '/dashboard/account/second-factor', totpForm],
  ['account', 'post', '/dashboard/account/second-factor', enableTotp],
  ['account', 'post', '/dashboard/account/second-factor/off', disableTotp],
]);
