import { z } from 'zod';
import { fields, readerFields } from '../../shared/platform/config.ts';

/** Environment of the push role. */
export const pushConfigSchema = z.object({
  ...readerFields,
  REDIS_URL: fields.REDIS_URL,
  WEBHOOK_SECRET_KEY: fields.WEBHOOK_SECRET_KEY,
  WEBHOOK_ALLOW_PRIVATE: fields.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_RETRY_DELAYS_S: fields.WEBHOOK_RETRY_DELAYS_S,
  /** For links in messages. */
  BASE_URL: fields.BASE_URL,
  MAIL_URL: fields.MAIL_URL,
  MAIL_DIR: fields.MAIL_DIR,
  MAIL_FROM: fields.MAIL_FROM,
});
