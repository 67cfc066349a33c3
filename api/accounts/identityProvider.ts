import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { z } from 'zod';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import type { Identity } from './accountStore.ts';

const PROVIDER_TIMEOUT_MS = 10_000;

/** Values that the provider must return unchanged. */
export const signInStateSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  /** The account to link, if the user is signed in already. */
  accountId: z.string().optional(),
});
export type SignInState = z.output<typeof signInStateSchema>;

/** A user that the provider vouches for. */
export interface ProvenIdentity extends Identity {
  /** In lower case; absent if the provider does not call it verified. */
  readonly email?: string | undefined;
}

/** An OpenID Connect provider that users sign in with. */
export interface IdentityProvider {
  /** Text of the sign-in button. */
  readonly name: string;
  /** Where to send the browser, and what to keep until it comes back. */
  begin(): Promise<{ url: string; state: SignInState }>;
  /**
   * Identifies the user from the query of the callback: state, PKCE, nonce, issuer, audience, signature and times are
   * checked (OpenID Connect Core 3.1.3.7, RFC 9207, RFC 7636).
   * @throws Error if any of these checks fails.
   */
  finish(query: string, state: SignInState): Promise<ProvenIdentity>;
}

const claimsSchema = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().email().max(254).optional(),
  email_verified: z.boolean().optional(),
});

/** The provider, discovered at first use; a failed discovery is tried again. */
export const createIdentityProvider = (args: {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  /** Where the provider sends the browser back to. */
  redirectUri: string;
}): IdentityProvider => {
  const { issuer, clientId, clientSecret, name, redirectUri } = args;
  const isInsecure = issuer.startsWith('http://');
  let configuration: Promise<Configuration> | undefined;
  const configured = (): Promise<Configuration> => {
    configuration ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: PROVIDER_TIMEOUT_MS / 1000,
      execute: isInsecure ? [allowInsecureRequests] : [],
    }).catch((error) => {
      configuration = undefined;
      throw new RetryableError(`identity provider: ${errorMessage(error)}`, { cause: error });
    });
    return configuration;
  };
  return {
    name,
    begin: async () => {
      const codeVerifier = randomPKCECodeVerifier();
      const state: SignInState = { state: randomState(), nonce: randomNonce(), codeVerifier };
      const url = buildAuthorizationUrl(await configured(), {
        redirect_uri: redirectUri,
        scope: 'openid email',
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state: state.state,
        nonce: state.nonce,
      });
      return { url: url.href, state };
    },
    finish: async (query, { state, nonce, codeVerifier }) => {
      const tokens = await authorizationCodeGrant(
        await configured(),
        new URL(`${redirectUri}?${query}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        },
      );
      const claims = claimsSchema.parse(tokens.claims());
      const email = claims.email_verified ? claims.email?.toLowerCase() : undefined;
      return { issuer: claims.iss, subject: claims.sub, email };
    },
  };
};
