import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { freePort } from '../../shared/testing/services.ts';

const CLIENT = { id: 'dashboard', secret: 'a-secret-of-the-test-client' } as const;

/** A real OpenID Connect provider in which `login` decides who signs in next. */
export const startIdentityProvider = async (redirectUri: string) => {
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
    // Whoever is next signs in and agrees, without a form.
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
