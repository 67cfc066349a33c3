import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import Provider from 'oidc-provider';
import { freePort } from '../../shared/testing/services.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { createAccountStore } from '../accounts/accountStore.ts';
import { createPasswords } from '../accounts/password.ts';
import { createFormClient, type FormClient } from '../testing/formClient.ts';
import { startApi } from '../testing/startApi.ts';

const CLIENT = { id: 'dashboard', secret: 'a-secret-of-the-test-client' } as const;

/** A real OpenID Connect provider in which `login` decides who signs in next. */
const startIdentityProvider = async (redirectUri: string) => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const people = new Map<string, { email: string; isVerified: boolean }>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        email: people.get(sub)?.email,
        email_verified: people.get(sub)?.isVerified,
      }),
    }),
    interactions: { url: (_, interaction) => `/login/${interaction.uid}` },
    cookies: { keys: ['test'] },
  });
  let next = '';
  const answer = provider.callback();
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/login/')) {
      void answer(request, response);
      return;
    }
    // Signs in as the next user and agrees, without a form.
    void (async () => {
      const details = await provider.interactionDetails(request, response);
      const clientId = details.params['client_id'] as string;
      const grant = new provider.Grant({ accountId: next, clientId });
      grant.addOIDCScope('openid email');
      const grantId = await grant.save();
      const result = { login: { accountId: next }, consent: { grantId } };
      await provider.interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      });
    })();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    issuer,
    client: CLIENT,
    port: (server.address() as AddressInfo).port,
    login: (sub: string, email: string, isVerified = true): void => {
      next = sub;
      people.set(sub, { email, isVerified });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

const SESSION = '__Host-session';
const PASSWORD = 'Correct-Horse-7';

describe('signing in with an identity provider', () => {
  const mailFolder = tempFolder();
  let api: Awaited<ReturnType<typeof startApi>>;
  let provider: Awaited<ReturnType<typeof startIdentityProvider>>;

  before(async () => {
    const port = await freePort();
    const baseUrl = `http://127.0.0.1:${port}`;
    provider = await startIdentityProvider(`${baseUrl}/dashboard/identity/callback`);
    api = await startApi({
      PORT: String(port),
      BASE_URL: baseUrl,
      MAIL_DIR: mailFolder,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.client.id,
      OIDC_CLIENT_SECRET: provider.client.secret,
      OIDC_NAME: 'Example',
    });
  });
  after(async () => {
    await api?.close();
    await provider?.close();
  });

  /** Follows the provider to the redirect address. */
  const throughProvider = async (url: string): Promise<string> => {
    const visitor = createFormClient(provider.issuer);
    let place = url;
    for (let step = 0; step < 10; step += 1) {
      const { location, text, status } = await visitor.get(place);
      assert.ok(location, `${place} answers ${status}: ${text.slice(0, 300)}`);
      place = new URL(location, provider.issuer).href;
      if (!place.startsWith(provider.issuer)) return place;
    }
    throw new Error('the provider leads nowhere');
  };
  const begin = async (browser: FormClient, query = ''): Promise<string> => {
    const { location } = await browser.get(`/dashboard/identity${query}`);
    return location;
  };
  const enter = async (browser: FormClient, query = '') => {
    const back = await throughProvider(await begin(browser, query));
    return { back, answer: await browser.get(back) };
  };
  const client = (): FormClient => createFormClient(api.baseUrl);

  it('makes an account at the first visit and finds it at the next', async () => {
    provider.login('sub-1', 'New@Example.org');
    const first = client();
    assert.equal((await enter(first)).answer.location, '/dashboard/keys?done=welcome');
    assert.match((await first.get('/dashboard/account')).text, /new@example\.org/);
    const again = client();
    const { answer } = await enter(again, '?lang=ru');
    assert.equal(answer.location, '/dashboard?lang=ru', 'in the language it was begun in');
    assert.match((await again.get('/dashboard/account')).text, /new@example\.org/);
  });

  it('asks the provider with PKCE, state and nonce', async () => {
    const url = new URL(await begin(client()));
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.ok((url.searchParams.get(name) ?? '').length >= 32, name);
    }
  });

  it('takes an answer once, and only in the browser that asked', async () => {
    provider.login('sub-2', 'two@example.org');
    const browser = client();
    const { back } = await enter(browser);
    const thief = client();
    const stolen = await thief.get(back);
    assert.equal(stolen.status, 400);
    assert.equal(thief.cookies.has(SESSION), false);
    const replayed = await browser.get(back);
    assert.equal(replayed.status, 400, 'a replay is refused');
  });

  it('refuses an answer made for another sign-in, as an attacker would plant', async () => {
    provider.login('attacker', 'attacker@example.org');
    const attacker = client();
    const planted = await throughProvider(await begin(attacker));
    const victim = client();
    await begin(victim);
    const answer = await victim.get(planted);
    assert.equal(answer.status, 400, 'the state is another');
    assert.equal(victim.cookies.has(SESSION), false);
  });

  it('refuses an answer that says it comes from another provider', async () => {
    provider.login('sub-3', 'three@example.org');
    const browser = client();
    const back = new URL(await throughProvider(await begin(browser)));
    assert.equal(back.searchParams.get('iss'), provider.issuer);
    back.searchParams.set('iss', 'https://evil.example');
    const answer = await browser.get(back.href);
    assert.equal(answer.status, 400);
    assert.equal(browser.cookies.has(SESSION), false);
  });

  it('links no account by its address alone, only when its owner asks', async () => {
    const accounts = createAccountStore({ redis: api.cache, now: () => Date.now() });
    const passwordHash = await createPasswords().hash(PASSWORD);
    await accounts.create({ email: 'here@example.org', passwordHash });
    provider.login('sub-4', 'here@example.org');
    const refused = await enter(client());
    assert.equal(refused.answer.status, 400);
    assert.match(refused.answer.text, /has an account already/);
    const owner = client();
    await owner.submit('/dashboard/sign-in', { email: 'here@example.org', password: PASSWORD });
    assert.equal((await enter(owner)).answer.location, '/dashboard/account?done=linked');
    const later = client();
    assert.equal((await enter(later)).answer.location, '/dashboard');
    assert.match((await later.get('/dashboard/account')).text, /here@example\.org/);
  });

  it('makes no account from an address the provider does not vouch for', async () => {
    provider.login('sub-5', 'unproven@example.org', false);
    const { answer } = await enter(client());
    assert.equal(answer.status, 400);
    assert.match(answer.text, /does not vouch/);
  });
});
