import { z } from 'zod';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

/** Wallets one message lists of those that joined, and of those that left; counts give the rest. */
export const CLUSTER_MESSAGE_WALLETS_MAX = 200;
/** Characters of a ring's id. */
const CLUSTER_ID_LENGTH_MAX = 64;

/** What happened to a ring. `split`: wallets left it for rings of their own; `removed`: it dissolved. */
export const CLUSTER_CHANGES = ['created', 'changed', 'merged', 'split', 'removed'] as const;
export type ClusterChange = (typeof CLUSTER_CHANGES)[number];

const clusterIdSchema = z.string().min(1).max(CLUSTER_ID_LENGTH_MAX);
const walletsSchema = z.array(addressSchema).max(CLUSTER_MESSAGE_WALLETS_MAX);

/**
 * A ring of wallets changed. ClickHouse holds the ring a moment after this is sent, what it says of the ring's
 * wallets after that. It travels under `cluster.<chainId>.<clusterId>`; near the head one block sends
 * one message a ring it changed, while catching up one message covers many blocks.
 */
export const clusterMessageSchema = z.object({
  v: z.literal(1),
  chainId: countSchema,
  clusterId: clusterIdSchema,
  name: z.string(),
  change: z.enum(CLUSTER_CHANGES),
  /** The ring that goes on where this one was merged, the one it came from where it was split off. */
  otherClusterId: clusterIdSchema.nullable(),
  /** Wallets in the ring after the change. */
  size: countSchema,
  /** 0 to 100, after the change. */
  riskScore: z.number().min(0).max(100),
  /** The first wallets that joined and left, by address; their whole numbers. */
  joined: walletsSchema,
  joinedCount: countSchema,
  left: walletsSchema,
  leftCount: countSchema,
  /** What changed the ring; the hash of the transaction is null where a reorg or a verdict did. */
  trigger: z.object({
    kind: z.enum(['block', 'reorg', 'verdict']),
    txHash: hashSchema.nullable(),
    /** Position in the block of the transaction's first log that mattered; 0 where there is none. */
    logIndex: countSchema,
  }),
  /** Block as of which this holds; of a reorg the common ancestor. */
  blockNumber: countSchema,
  blockHash: hashSchema,
  /** Unix seconds of that block. */
  timestampS: countSchema,
});
export type ClusterMessage = z.infer<typeof clusterMessageSchema>;
