import { z } from 'zod';
import { fields, wholeNumber } from '../../shared/platform/config.ts';

/** Environment of the alerts role. */
export const alertsConfigSchema = z.object({
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  REDIS_URL: fields.REDIS_URL,
  CHAIN_ID: fields.CHAIN_ID,
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
  /** Seconds before the end of a lock at which `unlock_soon` is raised. */
  UNLOCK_NOTICE_S: wholeNumber(60, 31_536_000).default('86400'),
  LOG_LEVEL: fields.LOG_LEVEL,
  HEALTH_PORT: fields.HEALTH_PORT,
  HEALTH_HOST: fields.HEALTH_HOST,
  HEARTBEAT_MS: fields.HEARTBEAT_MS,
  OTEL_EXPORTER_OTLP_ENDPOINT: fields.OTEL_EXPORTER_OTLP_ENDPOINT,
});
