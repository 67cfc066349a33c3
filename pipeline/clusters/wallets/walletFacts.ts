import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { GRAPH_KINDS } from '../facts/graphFact.ts';
import type { RingRole } from '../graph/ring.ts';
import type { TokenLoss } from './tokenLoss.ts';

export const movementSumSchema = z.object({
  direction: z.enum(['out', 'in']),
  kind: z.enum(GRAPH_KINDS),
  other: addressSchema,
  count: countSchema,
  /** Whole native units. */
  value: z.number(),
  /** Unix seconds. */
  firstS: countSchema,
  lastS: countSchema,
  firstBlock: countSchema,
  /** Place in that block. */
  firstPlace: countSchema,
  firstTx: hashSchema,
});
/** All movements of one kind between a wallet and another address, summed. */
export type MovementSum = Readonly<z.infer<typeof movementSumSchema>>;

/** A reversal: a verdict that differs from the previous one. */
export interface VerdictTurn {
  readonly isScam: boolean;
  readonly block: number;
  /** Unix seconds. */
  readonly atS: number;
}

/** A token that a wallet created. */
export interface MadeToken {
  readonly token: Hex;
  readonly block: number;
  /** Unix seconds. */
  readonly atS: number;
  readonly txHash: Hex;
  /** Oldest first; the last one is in force. */
  readonly turns: readonly VerdictTurn[];
  /** Ids of the failed checks of the verdict in force. */
  readonly failedChecks: readonly string[];
  readonly loss: TokenLoss | undefined;
}

/** A ring as one of its wallets sees it. */
export interface Membership {
  readonly id: string;
  readonly role: RingRole;
  readonly riskScore: number;
  /** Unix seconds. */
  readonly joinedAtS: number;
  /** Time of the first link between the wallet and the ring. */
  readonly block: number;
}

/** All inputs of the rules: facts of the canonical chain and verdicts in force. */
export interface WalletFacts {
  readonly wallet: Hex;
  readonly isHub: boolean;
  readonly movements: readonly MovementSum[];
  readonly made: readonly MadeToken[];
  readonly ring: Membership | undefined;
  /** Those counterparties of the wallet that created tokens. */
  readonly creators: ReadonlySet<Hex>;
  /** Those of them that created two scams or more. */
  readonly scammers: ReadonlySet<Hex>;
  /** Block in which each traded token got its first liquidity. */
  readonly launchBlocks: ReadonlyMap<Hex, number>;
  /** Those of its traded tokens whose liquidity was withdrawn. */
  readonly drained: ReadonlySet<Hex>;
}

/** Tokens created by a wallet whose verdict in force is scam. */
export const scamsOf = ({ made }: Pick<WalletFacts, 'made'>): MadeToken[] =>
  made.filter(({ turns }) => turns.at(-1)?.isScam === true);
