import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import { keccakOfHex, selectorOf } from '../../../shared/encode/evmCode.ts';
import type { Answer } from '../simulation/readOutcomes.ts';
import type { Head } from '../simulation/simulateParams.ts';
import type { ContractProfile } from './contractProfile.ts';
import {
  ADMIN_SLOT,
  addressInWord,
  IMPLEMENTATION_SLOTS,
  minimalProxyTarget,
} from './proxyCode.ts';

/** One call of a node. */
export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node says of a contract, before its code is looked at. */
export interface ContractState {
  readonly head: Head;
  readonly code: Hex;
  readonly implementation: Omit<NonNullable<ContractProfile['proxy']>, 'admin'> | undefined;
  readonly admin: Hex | undefined;
  readonly owner: ContractProfile['owner'];
  readonly supply: bigint;
  /** Addresses in the first storage slots, where compilers put the first variables. */
  readonly stored: readonly Hex[];
}

/** Gas of one read: a few thousand are used by an honest one. */
const READ_GAS = '0x7a120';
/** Storage slots looked at: owners are declared early, behind what the base contracts declare. */
const SLOTS_READ = 16;
const DEAD_ADDRESSES: ReadonlySet<Hex> = new Set([
  '0x000000000000000000000000000000000000dead',
  '0x0000000000000000000000000000000000000001',
  '0xdead000000000000000042069420694206942069',
]);
const OWNER_FUNCTIONS = ['owner()', 'getOwner()'] as const;
const CODE = /^0x(?:[0-9a-fA-F]{2})+$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,14}$/;

const read = (token: Hex, signature: string): NodeCall => ({
  method: 'eth_call',
  params: [{ to: token, data: selectorOf(signature), gas: READ_GAS }, 'latest'],
});
const storage = (token: Hex, slot: Hex): NodeCall => ({
  method: 'eth_getStorageAt',
  params: [token, slot, 'latest'],
});

/** The calls that `readContractState` reads the answers of. */
export const contractStateCalls = (token: Hex): NodeCall[] => [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_getCode', params: [token, 'latest'] },
  read(token, 'totalSupply()'),
  ...OWNER_FUNCTIONS.map((signature) => read(token, signature)),
  storage(token, ADMIN_SLOT),
  ...IMPLEMENTATION_SLOTS.map(({ slot }) => storage(token, slot)),
  ...Array.from({ length: SLOTS_READ }, (_, i) => storage(token, `0x${i.toString(16)}`)),
];

const resultOf = (outcome: Answer | undefined): unknown =>
  outcome?.ok ? outcome.result : undefined;

/** A height or a time of a block. */
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'string' && QUANTITY.test(value) ? Number(value) : undefined;

const headOf = (block: unknown): Head | undefined => {
  const fields = (typeof block === 'object' && block !== null ? block : {}) as Record<
    string,
    unknown
  >;
  const [number, timestampS] = [numberOf(fields['number']), numberOf(fields['timestamp'])];
  return number === undefined || timestampS === undefined ? undefined : { number, timestampS };
};

/** Deployed code; undefined for an account without. */
export const codeOf = (outcome: Answer | undefined): Hex | undefined => {
  const result = resultOf(outcome);
  return typeof result === 'string' && CODE.test(result)
    ? (result.toLowerCase() as Hex)
    : undefined;
};

/** Hash of code, as `dim_tokens` keeps it. */
export const codeHashOf = (code: Hex): Hex => (code === '0x' ? ZERO_HASH : keccakOfHex(code));

const isWord = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);

const ownerOf = (answers: readonly unknown[]): ContractProfile['owner'] => {
  for (const [i, via] of OWNER_FUNCTIONS.entries()) {
    const answer = answers[i];
    if (!isWord(answer)) continue;
    const address = addressInWord(answer);
    if (address && !DEAD_ADDRESSES.has(address)) return { kind: 'held', address, via };
    if (address || BigInt(answer) === 0n) {
      return { kind: 'renounced', address: address ?? ZERO_ADDRESS, via };
    }
  }
  return { kind: 'none', address: null, via: null };
};

const implementationOf = (
  code: Hex,
  words: readonly unknown[],
): ContractState['implementation'] => {
  const target = minimalProxyTarget(code);
  if (target) return { kind: 'eip1167', implementation: target, slot: null };
  for (const [i, { kind, slot }] of IMPLEMENTATION_SLOTS.entries()) {
    const implementation = addressInWord(words[i]);
    if (implementation) return { kind, implementation, slot };
  }
  return undefined;
};

/** An address may share its slot with small variables: Solidity packs them above it. */
const ADDRESS_IN_SLOT = /^0x[0-9a-f]{24}([0-9a-f]{40})$/;
/** Numbers and short texts in a slot look like addresses with many zeros. */
const ZERO_DIGITS = /0{8}/;

const storedAddresses = (words: readonly unknown[]): Hex[] => {
  const found = words.flatMap((word): Hex[] => {
    const digits = ADDRESS_IN_SLOT.exec(String(word).toLowerCase())?.[1];
    return digits === undefined || ZERO_DIGITS.test(digits) ? [] : [`0x${digits}`];
  });
  return [...new Set(found)];
};

/** Reads the answers to `contractStateCalls`. Undefined where there is no code or no head. */
export const readContractState = (outcomes: readonly Answer[]): ContractState | undefined => {
  const [block, code, supply] = outcomes;
  const rest = outcomes.slice(3).map(resultOf);
  const [owners, [admin, ...slots]] = [rest.slice(0, 2), rest.slice(2)];
  const head = headOf(resultOf(block));
  const bytes = codeOf(code);
  if (!head || !bytes) return undefined;
  const total = resultOf(supply);
  return {
    head,
    code: bytes,
    implementation: implementationOf(bytes, slots.slice(0, IMPLEMENTATION_SLOTS.length)),
    admin: addressInWord(admin),
    owner: ownerOf(owners),
    supply: isWord(total) ? BigInt(total) : 0n,
    stored: storedAddresses(slots.slice(IMPLEMENTATION_SLOTS.length)),
  };
};
