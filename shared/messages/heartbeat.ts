import { z } from 'zod';
import { countSchema } from './schemas.ts';

/** Roles that send heartbeats. */
export const BEATING_ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;
export type BeatingRole = (typeof BEATING_ROLES)[number];

/** The watcher's view of its chain. */
const chainStatusSchema = z.object({
  /** Highest block at the last poll, and its time in Unix seconds. */
  head: countSchema,
  headTimeS: countSchema,
  /** When the node reported it, Unix milliseconds. */
  answeredAtMs: countSchema,
  /** First block that is not yet in the stream. */
  next: countSchema,
});
export type ChainStatus = z.infer<typeof chainStatusSchema>;

/** The last heartbeat of a role. It remains when the role dies, and its age shows that. */
export const heartbeatSchema = z.object({
  v: z.literal(1),
  /** Unix milliseconds. */
  atMs: countSchema,
  /** For a watcher whose node has answered. */
  chain: chainStatusSchema.optional(),
});
export type Heartbeat = z.infer<typeof heartbeatSchema>;

/** The key under which it is stored. Push serves all chains together. */
export const heartbeatKey = (role: BeatingRole, chainId: number): string =>
  role === 'push' ? role : `${role}.${chainId}`;
