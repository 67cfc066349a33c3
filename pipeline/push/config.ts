import { z } from 'zod';
import { fields } from '../../shared/platform/config.ts';

/** Environment of the push role. */
export const pushConfigSchema = z.object({
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  REDIS_URL: fields.REDIS_URL,
  CHAIN_ID: fields.CHAIN_ID,
  WEBHOOK_SECRET_KEY: fields.WEBHOOK_SECRET_KEY,
  WEBHOOK_ALLOW_PRIVATE: fields.WEBHOOK_ALLOW_PRIVATE,
  WEBHOOK_RETRY_DELAYS_S: fields.WEBHOOK_RETRY_DELAYS_S,
  LOG_LEVEL: fields.LOG_LEVEL,
  HEALTH_PORT: fields.HEALTH_PORT,
  HEALTH_HOST: fields.HEALTH_HOST,
  HEARTBEAT_MS: fields.HEARTBEAT_MS,
  OTEL_EXPORTER_OTLP_ENDPOINT: fields.OTEL_EXPORTER_OTLP_ENDPOINT,
});
