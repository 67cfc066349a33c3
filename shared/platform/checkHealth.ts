import { z } from 'zod';
import { fields, readConfig } from './config.ts';

// Health check of a container: exits 0 when the role in it answers `/healthz` with 2xx, 1 otherwise.

const TIMEOUT_MS = 4_000;

const { HEALTH_PORT: port } = readConfig(z.object({ HEALTH_PORT: fields.HEALTH_PORT }));
try {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal });
  process.exitCode = ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
