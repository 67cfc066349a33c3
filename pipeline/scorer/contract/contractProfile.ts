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
  /** The storage slot that names the implementation; null where the code itself does: for good, or by EIP-7702 until it is signed anew. */
  slot: hashSchema.nullable(),
  /** Who may replace it, where EIP-1967 says so. */
  admin: addressSchema.nullable(),
  /** The same as far as an owner shows it: of the admin, of the beacon, or of a token that replaces its own code. */
  ruler: addressSchema.nullable().optional(),
  /** A call by which an account replaces the code that neither an admin nor an owner names. */
  upgrade: z.object({ caller: addressSchema, data: codeSchema }).optional(),
});

const functionSchema = z.object({
  selector: selectorSchema,
  arguments: z.string(),
  writes: z.boolean(),
});

/**
 * Why a caller may have privileges; `anyone`: an unused address whose call does the same. `secret`: the code knows him by a hash alone, which the simulation
 * replaced by that of an unused address.
 */
const callerSchema = z.object({
  address: addressSchema,
  origin: z.enum(['owner', 'creator', 'storage', 'code', 'creation', 'anyone', 'secret']),
});
export type PrivilegedCaller = z.infer<typeof callerSchema>;

/**
 * What a privileged call did to a buyer in a simulation. `mint`: tokens out of nothing; `value` is
 * their share of the supply before. `confiscate`: share of the buyer's tokens gone. `drain`: share of the pool's tokens gone, by which
 * their price is made. `freeze`: the buyer's sale fails after the call, and works without it. `tax`: share a sale then loses.
 */
const powerSchema = z.object({
  kind: z.enum(['mint', 'confiscate', 'drain', 'freeze', 'tax']),
  caller: callerSchema,
  selector: selectorSchema,
  /** The contract that was called, where that is not the token or its hook. */
  target: addressSchema.optional(),
  /** The call's data, so that anyone can repeat it. */
  data: z.string(),
  /** A call of the same caller a day before, without which this one fails. */
  prepared: z.string().optional(),
  /** How often it is made, where once takes a little only. */
  times: z.number().optional(),
  /** Code in which a hash was replaced, and whose it is; where the caller is known by that alone. */
  patched: z.object({ address: addressSchema, code: codeSchema }).optional(),
  /** Another token that the caller handed over in the call, for what was made. */
  paidIn: addressSchema.optional(),
  value: z.number(),
});
export type Power = z.infer<typeof powerSchema>;

/** Something after which a sale fails or loses most that works otherwise. `fall`: the price has fallen. `purchase`: somebody else has just bought. `crowd`: many others have bought.
 * `code`: there is code at an address that the token names, where nobody ever was. */
const hinderedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fall'), reason: sentenceSchema }),
  z.object({ kind: z.literal('purchase'), reason: sentenceSchema }),
  z.object({ kind: z.literal('crowd'), reason: sentenceSchema }),
  z.object({ kind: z.literal('code'), address: addressSchema, reason: sentenceSchema }),
]);

/** A trade simulated beside the usual one: what it costs, and what it would do later. */
const tradeSchema = z.object({
  /** Tokens that arrived for tokens the pool paid out, 0 to 1. */
  delivered: z.number(),
  sells: z.boolean(),
  /** Gas that the transfer of a sale used. */
  saleGas: z.number(),
  sellsLater: z.boolean(),
  /** Why a sale fails a day later, or what it then keeps if that is most; null where it works. */
  laterReason: sentenceSchema.nullable(),
  /** The same four weeks later; absent where it works. */
  weeksLaterReason: sentenceSchema.optional(),
  /** Purchases of a stranger, in 1/100,000 of the base reserve, after which a sale that works before fails or loses most, and why. */
  profit: z.object({ size: z.string(), times: z.number(), reason: sentenceSchema }).optional(),
  /** What keeps a sale from working that works without it: see `Hindrance`. */
  hindered: hinderedSchema.optional(),
  /** Share of that sale that does not arrive, where it works. */
  laterTax: z.number().optional(),
  /** Share of a purchase a day later that does not arrive, where one now loses much. */
  laterBuyTax: z.number().optional(),
});

/** A contract whose block number is put forward: `shownBy` holds as much native currency as blocks there are. */
const clockedSchema = z.object({
  shownBy: addressSchema,
  runs: addressSchema,
  code: codeSchema,
});

/** What the simulations of a probe stood on: with it they can be repeated call by call. */
const stageSchema = z.object({
  /** Unix seconds of the block. */
  timestampS: z.number(),
  /** How the pool keeps its liquidity, and its base token; null where nothing was traded. */
  poolKind: z.enum(POOL_KINDS).nullable(),
  base: addressSchema.nullable(),
  entry: managedEntrySchema.optional(),
  trader: addressSchema,
  router: addressSchema,
  stranger: addressSchema,
  /** Decimal: size of the purchase in 1/100,000 of the base reserve, and tokens it brought. */
  size: z.string(),
  amount: z.string(),
  /** How the number of the block was put forward for the token or the hook of its pool, where a sale then failed. */
  laterClock: clockedSchema.optional(),
});
export type StoredStage = z.infer<typeof stageSchema>;

const probeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('done'),
    blockNumber: z.number(),
    /** Null where nothing can be bought. */
    trade: tradeSchema.nullable(),
    powers: z.array(powerSchema),
    /** The same of calls to the hook of the pool, where it has one. */
    hookPowers: z.array(powerSchema).optional(),
    /** Absent in profiles of older releases. */
    stage: stageSchema.optional(),
  }),
  z.object({ kind: z.literal('unknown'), reason: sentenceSchema }),
]);
export type Probe = z.infer<typeof probeSchema>;

/** What sort of account has a power. `nobody`: given up; `anyone`: everybody; `unknown`: storage does not show it. */
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
  /** The slot of the token's storage that names it or, where it is one of a mapping, holds its entry. */
  slot: hashSchema.nullable(),
  isEntry: z.boolean(),
});
export type PrivilegeHolder = z.infer<typeof privilegeHolderSchema>;

/** A power that the code gives, whatever a simulation shows: see powers/POWERS.md. */
const codePowerSchema = z.object({
  power: z.enum(POWERS),
  reason: z.string(),
  /** The function that does it, or by which it can be done: `0x` and eight digits, or `fallback`. */
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
  /** The function that was asked. */
  via: z.string().nullable(),
});

/** The hook of the pool that sales were tried on, and who rules it. */
const hookSchema = z.object({
  address: addressSchema,
  manager: addressSchema,
  /** Whether the pool leaves its fee to the hook. */
  setsFee: z.boolean(),
  owner: ownerSchema,
  proxy: proxySchema.nullable(),
});
export type HookProfile = z.infer<typeof hookSchema>;

/** What the code and the storage of a token's contract show: the `doc` column of `dim_contracts`. */
export const contractProfileSchema = z.object({
  v: z.literal(1),
  /** Height the node was asked at. */
  blockNumber: z.number(),
  /** Hash of the code at the token's own address. */
  codeHash: hashSchema,
  /** The pool that sales were tried on: its contract, or its id in the manager. */
  pool: z.union([addressSchema, hashSchema]).nullable(),
  /** Null where the contract runs its own code. */
  proxy: proxySchema.nullable(),
  /** Of the implementation, as everything below. */
  functions: z.array(functionSchema),
  /** What it is made with, as frameworks/FRAMEWORKS.md says. Absent in profiles of older releases. */
  frameworks: z.array(frameworkSchema).optional(),
  owner: ownerSchema,
  /** By the code alone, with who has them. */
  codePowers: z.array(codePowerSchema),
  /** What sort of account the owner and those are that calls were tried as. */
  holders: z.array(z.object({ address: addressSchema, kind: holderKindSchema })),
  /** What can be seen in the instructions without running them. Offsets are bytes in the code. */
  patterns: z.object({
    /** Where the contract can destroy itself. */
    selfDestructAt: z.number().nullable(),
    /** Where it runs the code of another contract. */
    delegateCallAt: z.number().nullable(),
    /** Addresses in the code that the caller is compared with: privileges that no owner() shows. */
    comparedCallers: z.array(addressSchema),
  }),
  /** How often opcodes stand in the code: column of `opcodeHistogram` and count, where there are any. */
  opcodes: z.array(z.tuple([z.number(), z.number()])),
  /** Hash of the opcodes alone: contracts made from one source with other constants, addresses or metadata agree in it. */
  skeleton: hashSchema,
  /** MinHash signature of the basic blocks: 32 unsigned numbers of 32 bits. */
  minima: z.array(z.number()),
  /** A scam with nearly the same code, found when this was read. */
  nearScam: nearScamSchema.nullable(),
  /** Null where the pool has no hook, or the hook could not be read. */
  hook: hookSchema.nullable(),
  probe: probeSchema,
});
export type ContractProfile = z.infer<typeof contractProfileSchema>;

/** A token whose contract is to be read. */
export interface ContractSubject {
  readonly token: Hex;
  readonly creator: Hex;
  /** The transaction that made it; absent or zero where that is not known. */
  readonly createdTx?: Hex;
  /** Of its code when it was confirmed; zero where that is not known. */
  readonly codeHash: Hex;
  /** Its main pool, to try sales on. */
  readonly pool: Pick<ValuedMarket, 'kind' | 'pool' | 'entry' | 'baseToken'> | undefined;
}
