import { z } from 'zod';
import { countSchema } from './schemas.ts';

/** Roles that report at intervals that they work. */
export const BEATING_ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;
export type BeatingRole = (typeof BEATING_ROLES)[number];

/** What a watcher knows of its chain. */
const chainStatusSchema = z.object({
  /** Highest block at the last look, and its time, Unix seconds. */
  head: countSchema,
  headTimeS: countSchema,
  /** When the node showed it, Unix milliseconds. */
  answeredAtMs: countSchema,
  /** First block that is not in the stream yet. */
  next: countSchema,
});
export type ChainStatus = z.infer<typeof chainStatusSchema>;

/** The last heartbeat of a role. It stays when the role dies: its age shows that. */
export const heartbeatSchema = z.object({
  v: z.literal(1),
  /** Unix milliseconds. */
  atMs: countSchema,
  /** Of a watcher whose node has answered. */
  chain: chainStatusSchema.optional(),
});
export type Heartbeat = z.infer<typeof heartbeatSchema>;

/** The key it is kept under. Push serves all chains together. */
export const heartbeatKey = (role: BeatingRole, chainId: number): string =>
  role === 'push' ? role : `${role}.${chainId}`;
