import { sentence } from '../../../shared/sentences/sentence.ts';
import type { CheckInput } from '../checks/checkInput.ts';
import type { ContractProfile, Power, PrivilegedCaller } from '../contract/contractProfile.ts';

const TOKEN = `0x${'1'.repeat(40)}` as const;
const OWNER = `0x${'a'.repeat(40)}` as const;
const HASH = `0x${'c'.repeat(64)}` as const;

/** An owner, as the probe names callers. */
export const OWNER_CALLER: PrivilegedCaller = { address: OWNER, origin: 'owner' };

/** A contract like an honest one with an owner, with the changes of a case. */
export const contractOf = (change: Partial<ContractProfile> = {}): ContractProfile => ({
  v: 1,
  blockNumber: 7,
  codeHash: HASH,
  pool: null,
  proxy: null,
  functions: [],
  owner: { kind: 'held', address: OWNER, via: 'owner()' },
  codePowers: [],
  holders: [{ address: OWNER, kind: 'wallet' }],
  patterns: { selfDestructAt: null, delegateCallAt: null, comparedCallers: [] },
  opcodes: [],
  skeleton: HASH,
  minima: [],
  nearScam: null,
  hook: null,
  probe: probeOf([]),
  ...change,
});

/** A probe after which a sale works, with the proved powers. */
export const probeOf = (powers: readonly Power[]): ContractProfile['probe'] => ({
  kind: 'done',
  blockNumber: 7,
  trade: { delivered: 1, sells: true, saleGas: 60_000, sellsLater: true, laterReason: null },
  powers: [...powers],
});

/** Input of checks: a token with hardly any data, with the changes of a case. */
export const checkInputOf = (change: Partial<CheckInput> = {}): CheckInput => ({
  chainId: 31_337,
  token: TOKEN,
  bases: [],
  name: 'Case',
  symbol: 'CASE',
  pool: undefined,
  protocol: undefined,
  launch: undefined,
  modelProbability: 0.1,
  marketEvidence: 0,
  marketBlock: 0,
  purchaseCount: 0,
  saleCount: 0,
  withdrawnShare: 0,
  topTenConcentration: 0,
  largestHolders: [],
  areBalancesKnown: true,
  holderCount: 1,
  spread: undefined,
  simulation: { kind: 'unknown', reason: sentence('nodeSilent') },
  contract: undefined,
  twins: undefined,
  locks: [],
  insiders: new Set(),
  ...change,
});
