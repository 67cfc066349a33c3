import { z } from 'zod';
import { fields, wholeNumber } from '../shared/runtime/config.ts';
import { planOverridesSchema } from './accounts/plans.ts';

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

/** What the API reads from the environment. */
export const apiConfigSchema = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default('8080'),
  BASE_URL: z
    .string()
    .regex(/^https?:\/\/[^\s/]+(\/[^\s?#]*)?$/, 'must be a URL with http:// or https://')
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  KEY_PEPPER: fields.KEY_PEPPER,
  RATE_PLANS: ratePlansField.optional(),
  WEBHOOK_ALLOW_PRIVATE: fields.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_SECRET_KEY: fields.WEBHOOK_SECRET_KEY,
  NATS_URL: fields.NATS_URL,
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  REDIS_URL: fields.REDIS_URL,
  CHAIN_ID: fields.CHAIN_ID,
  LOG_LEVEL: fields.LOG_LEVEL,
});
export type ApiConfig = z.output<typeof apiConfigSchema>;
