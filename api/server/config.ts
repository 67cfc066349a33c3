import { z } from 'zod';
import { fields, url, wholeNumber } from '../../shared/platform/config.ts';
import { FatalError } from '../../shared/platform/errors.ts';
import { planOverridesSchema } from '../accounts/plans.ts';

/** JSON object of plans that differ from the defaults, by tier. */
const ratePlansField = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON object of plans by tier' });
      return z.NEVER;
    }
  })
  .pipe(planOverridesSchema);

/** Settings of the API. */
export const apiConfigSchema = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be an IP address or the name of a host')
    .default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default('8080'),
  BASE_URL: fields.BASE_URL,
  KEY_PEPPER: fields.KEY_PEPPER,
  RATE_PLANS: ratePlansField.optional(),
  WEBHOOK_ALLOW_PRIVATE: fields.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_SECRET_KEY: fields.WEBHOOK_SECRET_KEY,
  MAIL_URL: fields.MAIL_URL,
  MAIL_DIR: fields.MAIL_DIR,
  MAIL_FROM: fields.MAIL_FROM,
  /** An OpenID Connect provider for signing in. */
  OIDC_ISSUER: url(['https', 'http']).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_NAME: z.string().min(1).max(40).default('your organisation'),
  /** E-mail addresses of users who may see the state of the service, comma-separated. */
  OPERATORS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    )
    .pipe(z.array(z.string().email('must be e-mail addresses, comma-separated'))),
  /** 0 lets users create keys above the plan of their account. */
  PLAN_GATE: z
    .enum(['0', '1'])
    .default('1')
    .transform((text) => text === '1'),
  /** Proxies in front of the API whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: wholeNumber(0, 10).default('0'),
  /** Concurrent requests per client address. */
  ADDRESS_REQUESTS_MAX: wholeNumber(1, 100_000).default('128'),
  /** Open connections per client address, if there is no proxy in front. */
  ADDRESS_CONNECTIONS_MAX: wholeNumber(1, 100_000).default('256'),
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  REDIS_URL: fields.REDIS_URL,
  CHAIN_ID: fields.CHAIN_ID,
  LOG_LEVEL: fields.LOG_LEVEL,
  /** Milliseconds between reporting not ready and stopping: as long as a load balancer needs to notice. */
  DRAIN_DELAY_MS: wholeNumber(0, 60_000).default('0'),
  HEALTH_PORT: fields.HEALTH_PORT,
  HEALTH_HOST: fields.HEALTH_HOST,
  HEARTBEAT_MS: fields.HEARTBEAT_MS,
});
export type ApiConfig = z.output<typeof apiConfigSchema>;

/**
 * The OpenID Connect provider for signing in; undefined if none is set.
 * @throws FatalError if only some of its settings are set.
 */
export const identityProviderOf = (
  config: Pick<ApiConfig, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_NAME'>,
) => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_NAME: name } = config;
  const clientSecret = config.OIDC_CLIENT_SECRET;
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret, name };
  const named = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret };
  const missing = Object.entries(named).filter(([, value]) => value === undefined);
  if (missing.length === Object.keys(named).length) return undefined;
  const lines = missing.map(([variable]) => `  ${variable}: must be set, as others of OIDC are`);
  throw new FatalError(`wrong configuration\n${lines.join('\n')}`);
};
