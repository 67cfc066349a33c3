import { z } from 'zod';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

/** Maximum wallets that one message lists as joined and as left; the counts are exact. */
export const CLUSTER_MESSAGE_WALLETS_MAX = 200;
/** Characters of a ring's id. */
const CLUSTER_ID_LENGTH_MAX = 64;

/** What happened to a ring. `split`: wallets left it and formed their own rings; `removed`: it dissolved. */
export const CLUSTER_CHANGES = ['created', 'changed', 'merged', 'split', 'removed'] as const;
export type ClusterChange = (typeof CLUSTER_CHANGES)[number];

const clusterIdSchema = z.string().min(1).max(CLUSTER_ID_LENGTH_MAX);
const walletsSchema = z.array(addressSchema).max(CLUSTER_MESSAGE_WALLETS_MAX);

/**
 * A ring of wallets changed. ClickHouse contains the ring a moment before this is sent and its wallets a moment
 * after. The subject is `cluster.<chainId>.<clusterId>`. Near the head, each block sends one message per changed
 * ring; while catching up, one message covers many blocks.
 */
export const clusterMessageSchema = z.object({
  v: z.literal(1),
  chainId: countSchema,
  clusterId: clusterIdSchema,
  name: z.string(),
  change: z.enum(CLUSTER_CHANGES),
  /** The ring into which this one was merged, or from which it was split off. */
  otherClusterId: clusterIdSchema.nullable(),
  /** Wallets in the ring after the change. */
  size: countSchema,
  /** 0 to 100, after the change. */
  riskScore: z.number().min(0).max(100),
  /** The first wallets that joined and left, by address; and their total numbers. */
  joined: walletsSchema,
  joinedCount: countSchema,
  left: walletsSchema,
  leftCount: countSchema,
  /** The cause of the change; the transaction hash is null if the cause was a reorg or a verdict. */
  trigger: z.object({
    kind: z.enum(['block', 'reorg', 'verdict']),
    txHash: hashSchema.nullable(),
    /** Position in the block of the transaction's first relevant log; 0 if there is none. */
    logIndex: countSchema,
  }),
  /** Block as of which this holds; for a reorg the common ancestor. */
  blockNumber: countSchema,
  blockHash: hashSchema,
  /** Unix seconds of that block. */
  timestampS: countSchema,
});
export type ClusterMessage = z.infer<typeof clusterMessageSchema>;
