import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { POOL_KINDS } from '../../../shared/chain/protocol.ts';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import { frameworkSchema } from '../../../shared/messages/verdictDoc.ts';
import { sentenceSchema } from '../../../shared/sentences/sentence.ts';
import type { ValuedMarket } from '../features/tokenFeatures.ts';
import { managedEntrySchema } from '../pool/poolKind.ts';
import { POWERS } from './powers/evidence.ts';

const selectorSchema = z.string().regex(/^0x[0-9a-f]{8}$/);

const codeSchema = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]*$/.test(value),
);

const proxySchema = z.object({
  kind: z.enum(['eip1167', 'eip7702', 'eip1967', 'beacon', 'eip1822', 'zeppelin']),
  implementation: addressSchema,
  /**
   * The storage slot that names the implementation; null if the code itself does: permanently, or by EIP-7702 until
   * it is signed again.
   */
  slot: hashSchema.nullable(),
  /** Who may replace it, according to EIP-1967. */
  admin: addressSchema.nullable(),
  /** The same as shown by an owner: of the admin, of the beacon, or of a token that replaces its own code. */
  ruler: addressSchema.nullable().optional(),
  /** A call by which an account replaces the code, if neither an admin nor an owner is named. */
  upgrade: z.object({ caller: addressSchema, data: codeSchema }).optional(),
});

const functionSchema = z.object({
  selector: selectorSchema,
  arguments: z.string(),
  writes: z.boolean(),
});

/**
 * Why a caller may have privileges; `anyone`: an unused address whose call does the same. `secret`: the code knows
 * the caller by a hash only, which the simulation replaced with that of an unused address.
 */
const callerSchema = z.object({
  address: addressSchema,
  origin: z.enum(['owner', 'creator', 'storage', 'code', 'creation', 'anyone', 'secret']),
});
export type PrivilegedCaller = z.infer<typeof callerSchema>;

/**
 * What a privileged call did to a buyer in a simulation. `mint`: new tokens; `value` is their share of the previous
 * supply. `confiscate`: share of the buyer's tokens gone. `drain`: share of the pool's tokens gone, which determine
 * the price. `freeze`: the buyer's sale fails after the call, and works without it. `tax`: share that a sale then
 * loses.
 */
const powerSchema = z.object({
  kind: z.enum(['mint', 'confiscate', 'drain', 'freeze', 'tax']),
  caller: callerSchema,
  selector: selectorSchema,
  /** The called contract, if it is neither the token nor its hook. */
  target: addressSchema.optional(),
  /** The call's data, so that anyone can repeat it. */
  data: z.string(),
  /** A call by the same caller a day earlier, without which this one fails. */
  prepared: z.string().optional(),
  /** Number of repetitions, if a single call takes only a little. */
  times: z.number().optional(),
  /** Code in which a hash was replaced, and its contract; if the caller is known by that hash only. */
  patched: z.object({ address: addressSchema, code: codeSchema }).optional(),
  /** Another token that the caller paid in the call, in exchange for what was minted. */
  paidIn: addressSchema.optional(),
  value: z.number(),
});
export type Power = z.infer<typeof powerSchema>;

/**
 * Something after which an otherwise working sale fails or loses most. `fall`: the price has fallen. `purchase`:
 * somebody else has just bought. `crowd`: many others have bought. `code`: a contract was deployed at an unused address
 * that the token names.
 */
const hinderedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fall'), reason: sentenceSchema }),
  z.object({ kind: z.literal('purchase'), reason: sentenceSchema }),
  z.object({ kind: z.literal('crowd'), reason: sentenceSchema }),
  z.object({ kind: z.literal('code'), address: addressSchema, reason: sentenceSchema }),
]);

/** A trade simulated in addition to the usual one: what it costs, and what it would do later. */
const tradeSchema = z.object({
  /** Tokens that arrived per token that the pool paid out, 0 to 1. */
  delivered: z.number(),
  sells: z.boolean(),
  /** Gas used by the transfer of a sale. */
  saleGas: z.number(),
  sellsLater: z.boolean(),
  /** Why a sale fails a day later, or its remaining share if most is lost; null if it works. */
  laterReason: sentenceSchema.nullable(),
  /** The same four weeks later; absent if it works. */
  weeksLaterReason: sentenceSchema.optional(),
  /**
   * Purchases of another account, in 1/100,000 of the base reserve, after which a previously working sale fails or
   * loses most, and why.
   */
  profit: z.object({ size: z.string(), times: z.number(), reason: sentenceSchema }).optional(),
  /** What prevents a sale that works without it: see `Hindrance`. */
  hindered: hinderedSchema.optional(),
  /** Share of that sale that does not arrive, if it works. */
  laterTax: z.number().optional(),
  /** Share of a purchase a day later that does not arrive, if one now loses much. */
  laterBuyTax: z.number().optional(),
});

/** A contract that sees an advanced block number: `shownBy` holds as many wei as that block number. */
const clockedSchema = z.object({
  shownBy: addressSchema,
  runs: addressSchema,
  code: codeSchema,
});

/** Inputs of a probe's simulations, with which they can be repeated call by call. */
const stageSchema = z.object({
  /** Timestamp of the simulated block, Unix seconds. */
  timestampS: z.number(),
  /** How the pool keeps its liquidity, and its base token; null if nothing was traded. */
  poolKind: z.enum(POOL_KINDS).nullable(),
  base: addressSchema.nullable(),
  entry: managedEntrySchema.optional(),
  trader: addressSchema,
  router: addressSchema,
  stranger: addressSchema,
  /** Decimal: size of the purchase in 1/100,000 of the base reserve, and the tokens received. */
  size: z.string(),
  amount: z.string(),
  /** How the block number was advanced for the token or the hook of its pool, if a sale then failed. */
  laterClock: clockedSchema.optional(),
});
export type StoredStage = z.infer<typeof stageSchema>;

const probeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('done'),
    blockNumber: z.number(),
    /** Null if nothing can be bought. */
    trade: tradeSchema.nullable(),
    powers: z.array(powerSchema),
    /** The same for calls to the pool's hook, if it has one. */
    hookPowers: z.array(powerSchema).optional(),
    /** Absent in profiles of older releases. */
    stage: stageSchema.optional(),
  }),
  z.object({ kind: z.literal('unknown'), reason: sentenceSchema }),
]);
export type Probe = z.infer<typeof probeSchema>;

/**
 * The kind of account that has a power. `nobody`: given up; `anyone`: everybody; `unknown`: storage does not show it.
 */
export const HOLDER_KINDS = [
  'wallet',
  'multisig',
  'timelock',
  'governance',
  'contract',
  'nobody',
  'anyone',
  'unknown',
] as const;
const holderKindSchema = z.enum(HOLDER_KINDS);
export type HolderKind = z.infer<typeof holderKindSchema>;

const privilegeHolderSchema = z.object({
  kind: holderKindSchema,
  address: addressSchema.nullable(),
  /** The slot of the token's storage that names it or, for a mapping, holds its entry. */
  slot: hashSchema.nullable(),
  isEntry: z.boolean(),
});
export type PrivilegeHolder = z.infer<typeof privilegeHolderSchema>;

/** A power in the code, whatever a simulation shows: see powers/POWERS.md. */
const codePowerSchema = z.object({
  power: z.enum(POWERS),
  reason: z.string(),
  /** The function that has it or enables it: `0x` and eight digits, or `fallback`. */
  selector: z.string(),
  holder: privilegeHolderSchema,
});
export type CodePower = z.infer<typeof codePowerSchema>;

const nearScamSchema = z.object({
  token: addressSchema,
  /** Estimated share of basic blocks in common, 0 to 1. */
  similarity: z.number(),
});
export type NearScam = z.infer<typeof nearScamSchema>;

const ownerSchema = z.object({
  kind: z.enum(['none', 'renounced', 'held']),
  address: addressSchema.nullable(),
  /** The function that was called. */
  via: z.string().nullable(),
});

/** The hook of the pool on which sales were simulated, and who controls it. */
const hookSchema = z.object({
  address: addressSchema,
  manager: addressSchema,
  /** Whether the hook sets the pool's fee. */
  setsFee: z.boolean(),
  owner: ownerSchema,
  proxy: proxySchema.nullable(),
});
export type HookProfile = z.infer<typeof hookSchema>;

/** What the code and the storage of a token's contract show: the `doc` column of `dim_contracts`. */
export const contractProfileSchema = z.object({
  v: z.literal(1),
  /** Height at which the node was queried. */
  blockNumber: z.number(),
  /** Hash of the code at the token's own address. */
  codeHash: hashSchema,
  /** The pool on which sales were simulated: its contract, or its id in the manager. */
  pool: z.union([addressSchema, hashSchema]).nullable(),
  /** Null if the contract runs its own code. */
  proxy: proxySchema.nullable(),
  /** Of the implementation, like everything below. */
  functions: z.array(functionSchema),
  /** Its frameworks, see frameworks/FRAMEWORKS.md. Absent in profiles of older releases. */
  frameworks: z.array(frameworkSchema).optional(),
  owner: ownerSchema,
  /** By the code alone, with their holders. */
  codePowers: z.array(codePowerSchema),
  /** The kinds of the owner and of the accounts as which calls were simulated. */
  holders: z.array(z.object({ address: addressSchema, kind: holderKindSchema })),
  /** What the instructions show without execution. Offsets are bytes in the code. */
  patterns: z.object({
    /** Where the contract can destroy itself. */
    selfDestructAt: z.number().nullable(),
    /** Where it executes another contract's code. */
    delegateCallAt: z.number().nullable(),
    /** Addresses in the code that the caller is compared with: privileges that no owner() shows. */
    comparedCallers: z.array(addressSchema),
  }),
  /** Number of each opcode in the code: column of `opcodeHistogram` and count, non-zero ones only. */
  opcodes: z.array(z.tuple([z.number(), z.number()])),
  /**
   * Hash of the opcodes alone: the same for contracts from one source with other constants, addresses or metadata.
   */
  skeleton: hashSchema,
  /** MinHash signature of the basic blocks: 32 unsigned numbers of 32 bits. */
  minima: z.array(z.number()),
  /** A scam with nearly the same code, found when this contract was read. */
  nearScam: nearScamSchema.nullable(),
  /** Null if the pool has no hook, or the hook could not be read. */
  hook: hookSchema.nullable(),
  probe: probeSchema,
});
export type ContractProfile = z.infer<typeof contractProfileSchema>;

/** A token whose contract must be read. */
export interface ContractSubject {
  readonly token: Hex;
  readonly creator: Hex;
  /** The transaction that created it; absent or zero if unknown. */
  readonly createdTx?: Hex;
  /** Hash of its code when it was confirmed; zero if unknown. */
  readonly codeHash: Hex;
  /** Its main pool, for simulating sales. */
  readonly pool: Pick<ValuedMarket, 'kind' | 'pool' | 'entry' | 'baseToken'> | undefined;
}
