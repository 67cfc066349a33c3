import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { RpcCall } from '../../../shared/platform/rpc/jsonRpc.ts';
import {
  addressInWord,
  keccakOf,
  keccakOfHex,
  quantity,
  selectorOf,
} from '../simulation/evmCode.ts';
import { type Answer, resultOf } from '../simulation/readOutcomes.ts';
import type { Head } from '../simulation/simulateParams.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { ContractProfile } from './contractProfile.ts';
import { replacesItself } from './upgrades.ts';

/** How a proxy names its implementation. */
type ProxyKind = NonNullable<ContractProfile['proxy']>['kind'];

const lessOne = (hash: Hex): Hex => `0x${(BigInt(hash) - 1n).toString(16).padStart(64, '0')}`;

/**
 * Storage slots for the implementation, in order of precedence. EIP-1967: keccak-256 of a name, minus one. EIP-1822:
 * keccak-256 of "PROXIABLE". ZeppelinOS proxies are older than both.
 */
export const IMPLEMENTATION_SLOTS: readonly { readonly kind: ProxyKind; readonly slot: Hex }[] = [
  { kind: 'eip1967', slot: lessOne(keccakOf('eip1967.proxy.implementation')) },
  { kind: 'beacon', slot: lessOne(keccakOf('eip1967.proxy.beacon')) },
  { kind: 'eip1822', slot: keccakOf('PROXIABLE') },
  { kind: 'zeppelin', slot: keccakOf('org.zeppelinos.proxy.implementation') },
];

/** EIP-1967: who may replace the implementation. */
export const ADMIN_SLOT: Hex = lessOne(keccakOf('eip1967.proxy.admin'));

const ADDRESS = '([0-9a-f]{40})';
/**
 * Code that only runs another contract's code: EIP-1167, its form with PUSH0, and forms with arguments after the
 * code, as Solady and OpenZeppelin create them.
 */
const MINIMAL_PROXIES: readonly RegExp[] = [
  new RegExp(`^363d3d373d3d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`),
  new RegExp(`^365f5f375f5f365f73${ADDRESS}5af43d5f5f3e5f3d91602a57fd5bf3`),
  new RegExp(`^3d3d3d3d363d3d37363d73${ADDRESS}5af43d3d93803e602a57fd5bf3`),
  new RegExp(`^363d3d373d3d363d73${ADDRESS}5af43d82803e903d91602b57fd5bf3`),
];

/** An account that runs a contract's code until its owner signs for another one (EIP-7702). */
const DELEGATION = new RegExp(`^ef0100${ADDRESS}$`);

/** The implementation of a minimal proxy, read from its code. Undefined for other code. */
export const minimalProxyTarget = (code: Hex): Hex | undefined => {
  const digits = code.slice(2).toLowerCase();
  for (const pattern of MINIMAL_PROXIES) {
    const target = pattern.exec(digits)?.[1];
    if (target) return `0x${target}`;
  }
  return undefined;
};

/** A node's answers about a contract, before its code is examined. */
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

/** Gas limit of one read: an honest one uses a few thousand. */
const READ_GAS = '0x7a120';
/** Storage slots examined: owners are declared early, after the variables of base contracts. */
const SLOTS_READ = 16;
export const DEAD_ADDRESSES: ReadonlySet<Hex> = new Set([
  '0x000000000000000000000000000000000000dead',
  '0x0000000000000000000000000000000000000001',
  '0xdead000000000000000042069420694206942069',
]);
const OWNER_FUNCTIONS = ['owner()', 'getOwner()'] as const;
const CODE = /^0x(?:[0-9a-fA-F]{2})+$/;
const QUANTITY = /^0x[0-9a-fA-F]{1,14}$/;

/** Calls a function without arguments. */
export const readCall = (contract: Hex, signature: string): RpcCall => ({
  method: 'eth_call',
  params: [{ to: contract, data: selectorOf(signature), gas: READ_GAS }, 'latest'],
});
const storage = (token: Hex, slot: Hex): RpcCall => ({
  method: 'eth_getStorageAt',
  params: [token, slot, 'latest'],
});

/** The calls whose results `readContractState` reads. */
export const contractStateCalls = (token: Hex): RpcCall[] => [
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_getCode', params: [token, 'latest'] },
  readCall(token, 'totalSupply()'),
  ...OWNER_FUNCTIONS.map((signature) => readCall(token, signature)),
  storage(token, ADMIN_SLOT),
  ...IMPLEMENTATION_SLOTS.map(({ slot }) => storage(token, slot)),
  ...Array.from({ length: SLOTS_READ }, (_, i) => storage(token, quantity(i))),
];

/** A block height or time. */
const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && QUANTITY.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
};

/** A node's block number and time. */
export const headOf = (block: unknown): Head | undefined => {
  const fields = (typeof block === 'object' && block !== null ? block : {}) as Record<
    string,
    unknown
  >;
  const [number, timestampS] = [numberOf(fields['number']), numberOf(fields['timestamp'])];
  return number === undefined || timestampS === undefined ? undefined : { number, timestampS };
};

/** Deployed code; undefined for an account without. */
const codeOf = (outcome: Answer | undefined): Hex | undefined => {
  const result = resultOf(outcome);
  return typeof result === 'string' && CODE.test(result)
    ? (result.toLowerCase() as Hex)
    : undefined;
};

/** Hash of code, as stored in `dim_tokens`. */
export const codeHashOf = (code: Hex): Hex => (code === '0x' ? ZERO_HASH : keccakOfHex(code));

/** Whether a result is one word of 32 bytes. */
export const isWord = (value: unknown): value is Hex =>
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
  const delegate = DELEGATION.exec(code.slice(2))?.[1];
  if (delegate) return { kind: 'eip7702', implementation: `0x${delegate}`, slot: null };
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

/** Addresses among words of 32 bytes, each once. */
export const storedAddresses = (words: readonly unknown[]): Hex[] => {
  const found = words.flatMap((word): Hex[] => {
    const digits = ADDRESS_IN_SLOT.exec(String(word).toLowerCase())?.[1];
    return digits === undefined || ZERO_DIGITS.test(digits) ? [] : [`0x${digits}`];
  });
  return [...new Set(found)];
};

/** Reads the results of `contractStateCalls`. Undefined without code or head. */
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

/** The account that owns a contract; null if unknown or renounced. */
export const heldBy = ({ kind, address }: ContractState['owner']): Hex | null =>
  kind === 'held' ? address : null;

/**
 * Who can replace the code behind a proxy: the owner of the contract that may (OpenZeppelin's `ProxyAdmin`, a
 * beacon), that account itself, or the owner of a token whose own functions do. Null if none is visible, or nobody
 * can.
 * @param selectors functions of the implementation
 */
export const readProxyRuler = async (
  node: ChainNode,
  { implementation: found, admin, owner }: ContractState,
  selectors: readonly Hex[],
): Promise<Hex | null> => {
  if (!found || found.slot === null) return null;
  const replacer = found.kind === 'beacon' ? found.implementation : admin;
  if (!replacer) return replacesItself(selectors) ? heldBy(owner) : null;
  const [answer] = await node.batch([readCall(replacer, OWNER_FUNCTIONS[0])]);
  const result = resultOf(answer);
  return isWord(result) ? (addressInWord(result) ?? null) : (admin ?? null);
};

/** The proxy with its implementation and that contract's code. */
const followProxy = async (
  node: ChainNode,
  { implementation: found, admin, code }: ContractState,
): Promise<{ proxy: ContractProfile['proxy']; code: Hex }> => {
  if (!found) return { proxy: null, code };
  let implementation = found.implementation;
  if (found.kind === 'beacon') {
    const [answer] = await node.batch([readCall(implementation, 'implementation()')]);
    implementation = addressInWord(resultOf(answer)) ?? implementation;
  }
  const [answer] = await node.batch([
    { method: 'eth_getCode', params: [implementation, 'latest'] },
  ]);
  const behind = codeOf(answer);
  const proxy = { ...found, implementation, admin: admin ?? null };
  return { proxy: behind ? proxy : null, code: behind ?? code };
};

/** A contract's state at the node's head, with the code that it runs. Undefined without code or head. */
export const readContract = async (
  node: ChainNode,
  address: Hex,
): Promise<{ state: ContractState; proxy: ContractProfile['proxy']; code: Hex } | undefined> => {
  const state = readContractState(await node.batch(contractStateCalls(address)));
  return state && { state, ...(await followProxy(node, state)) };
};
