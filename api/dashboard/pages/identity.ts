import { z } from 'zod';
import { errorMessage, RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { LANGUAGES } from '../../../shared/sentences/language.ts';
import {
  type IdentityProvider,
  type ProvenIdentity,
  type SignInState,
  signInStateSchema,
} from '../../accounts/identityProvider.ts';
import {
  type AccountVisit,
  type Answer,
  definePages,
  goTo,
  type PublicVisit,
  show,
  type Visit,
} from '../page.ts';
import { type Phrase, phrasesIn } from '../phrases.ts';
import type { AccountPorts } from './accountPorts.ts';
import { admitOrAsk } from './signIn.ts';

type Ports = AccountPorts & { readonly logger: Logger };

const refuse = (reason: Phrase, { language }: Pick<Visit, 'language'>): Answer =>
  show(
    'refused',
    'refused',
    { message: phrasesIn(language)(reason) },
    { status: 400, cookies: { oidc: null } },
  );

/** Sends the browser to the provider; somebody signed in links the identity to the account. */
const begin = async (ports: Ports, visit: PublicVisit): Promise<Answer> => {
  const { by, language } = visit;
  if (!ports.identityProvider) return refuse('noProvider', visit);
  const { url, state } = await ports.identityProvider.begin();
  const kept = { ...state, language, ...(by && { accountId: by.account.id }) };
  return { kind: 'redirect', to: url, cookies: { oidc: await ports.oneTime.put('oidc', kept) } };
};

const link = async (
  ports: Ports,
  visit: AccountVisit,
  identity: ProvenIdentity,
): Promise<Answer> => {
  const isLinked = await ports.accounts.link(visit.by.account.id, identity);
  if (!isLinked) return refuse('identityTaken', visit);
  return goTo('/dashboard/account?done=linked', { oidc: null });
};

/**
 * The account of an identity, created at its first visit. An e-mail address that already has an account is not linked
 * automatically: its owner signs in with the password and links it on the account page.
 */
const enter = async (ports: Ports, visit: Visit, identity: ProvenIdentity): Promise<Answer> => {
  const known = await ports.accounts.findByIdentity(identity);
  if (known) return admitOrAsk(ports, known, visit, '/dashboard');
  if (identity.email === undefined) {
    return refuse('emailNotProven', visit);
  }
  const { email } = identity;
  const made = await ports.accounts.create({ email, identity });
  if (!made) return refuse('emailTaken', visit);
  return admitOrAsk(ports, made, visit, '/dashboard/keys?done=welcome');
};

const keptSchema = signInStateSchema.extend({ language: z.enum(LANGUAGES) });

const settle = async (
  ports: Ports,
  provider: IdentityProvider,
  visit: PublicVisit,
  state: SignInState,
): Promise<Answer> => {
  let identity: ProvenIdentity;
  try {
    identity = await provider.finish(visit.querystring, state);
  } catch (error) {
    if (error instanceof RetryableError) throw error;
    ports.logger.warn({ reason: errorMessage(error) }, 'sign-in by identity provider refused');
    return refuse('notProven', visit);
  }
  if (state.accountId === undefined) return enter(ports, visit, identity);
  const { by } = visit;
  if (by?.account.id !== state.accountId) return refuse('signedOutMeanwhile', visit);
  return link(ports, { ...visit, by }, identity);
};

/** The page to which the provider redirects. Each sign-in can be completed once. */
const finish = async (ports: Ports, visit: PublicVisit) => {
  const { identityProvider, oneTime } = ports;
  if (!identityProvider) return refuse('noProvider', visit);
  const state = await oneTime.take('oidc', visit.cookie('oidc'), keptSchema);
  if (!state) return refuse('notBegun', visit);
  // The redirect address carries no language.
  const { language } = state;
  return { ...(await settle(ports, identityProvider, { ...visit, language }, state)), language };
};

/** Signing in with the identity provider. */
export const identityPages = definePages<Ports>([
  ['public', 'get', '/dashboard/identity', begin],
  ['public', 'get', '/dashboard/identity/callback', finish],
]);
