import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FatalError } from '../../shared/platform/errors.ts';
import { identityProviderOf } from './config.ts';

describe('the identity provider', () => {
  const whole = {
    OIDC_ISSUER: 'https://id.example.org',
    OIDC_CLIENT_ID: 'tsd',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Example',
  };

  it('is there where all of it is set, and not where nothing is', () => {
    assert.deepEqual(identityProviderOf(whole), {
      issuer: 'https://id.example.org',
      clientId: 'tsd',
      clientSecret: 'secret',
      name: 'Example',
    });
    const nothing = { OIDC_ISSUER: undefined, OIDC_CLIENT_ID: undefined };
    assert.equal(
      identityProviderOf({ ...nothing, OIDC_CLIENT_SECRET: undefined, OIDC_NAME: 'Example' }),
      undefined,
    );
  });

  it('stops the API where a part is missing, which the error names', () => {
    for (const missing of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const) {
      assert.throws(
        () => identityProviderOf({ ...whole, [missing]: undefined }),
        (error) => error instanceof FatalError && error.message.includes(`  ${missing}: must be`),
      );
    }
  });
});
