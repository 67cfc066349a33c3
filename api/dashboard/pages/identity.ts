import { errorMessage, RetryableError } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { type ProvenIdentity, signInStateSchema } from '../../accounts/identityProvider.ts';
import { type Answer, goTo, type Page, type SignedIn, show, type Visit } from '../page.ts';
import type { AccountPorts } from './accountPorts.ts';
import { admitOrAsk } from './signIn.ts';

type Ports = AccountPorts & { readonly logger: Logger };

const refuse = (message: string): Answer =>
  show('refused', 'Not signed in', { message }, { status: 400, cookies: { oidc: null } });

/** Sends the browser to the provider; somebody signed in links the identity to the account. */
const begin = (ports: Ports): Page => ({
  method: 'get',
  path: '/dashboard/identity',
  access: 'public',
  handle: async ({ by }) => {
    if (!ports.identityProvider) return refuse('No identity provider is configured.');
    const { url, state } = await ports.identityProvider.begin();
    const kept = by ? { ...state, accountId: by.account.id } : state;
    return { kind: 'redirect', to: url, cookies: { oidc: await ports.oneTime.put('oidc', kept) } };
  },
});

const link = async (ports: Ports, by: SignedIn, identity: ProvenIdentity): Promise<Answer> => {
  const isLinked = await ports.accounts.link(by.account.id, identity);
  if (!isLinked) return refuse('This identity belongs to another account already.');
  return goTo('/dashboard/account?done=linked', { oidc: null });
};

/**
 * The account of an identity, made at its first visit. An address that has an account already is not
 * linked by itself: its owner signs in with the password and links it on the account page.
 */
const enter = async (ports: Ports, visit: Visit, identity: ProvenIdentity): Promise<Answer> => {
  const known = await ports.accounts.findByIdentity(identity);
  if (known) return admitOrAsk(ports, known, visit, '/dashboard');
  if (identity.email === undefined) {
    return refuse('The identity provider does not vouch for your e-mail address.');
  }
  const { email } = identity;
  const made = await ports.accounts.create({ email, identity });
  if (!made) {
    return refuse(
      'Your e-mail address has an account already. Sign in with its password, then link the identity on the account page.',
    );
  }
  return admitOrAsk(ports, made, visit, '/dashboard/keys?done=welcome');
};

/** Where the provider sends the browser back to. What was begun counts once. */
const finish = (ports: Ports): Page => ({
  method: 'get',
  path: '/dashboard/identity/callback',
  access: 'public',
  handle: async (visit) => {
    const { identityProvider, oneTime, logger } = ports;
    if (!identityProvider) return refuse('No identity provider is configured.');
    const state = await oneTime.take('oidc', visit.cookie('oidc'), signInStateSchema);
    if (!state) return refuse('This sign-in was not begun in this browser, or took too long.');
    let identity: ProvenIdentity;
    try {
      identity = await identityProvider.finish(visit.querystring, state);
    } catch (error) {
      if (error instanceof RetryableError) throw error;
      logger.warn({ reason: errorMessage(error) }, 'sign-in by identity provider refused');
      return refuse('The identity provider did not confirm who you are.');
    }
    if (state.accountId === undefined) return enter(ports, visit, identity);
    if (visit.by?.account.id !== state.accountId) return refuse('You have signed out meanwhile.');
    return link(ports, visit.by, identity);
  },
});

/** Signing in with the identity provider. */
export const identityPages = (ports: Ports): Page[] => [begin(ports), finish(ports)];
