import { contractInfo } from 'evmole';
import type { Hex } from '../../../shared/chain/block.ts';
import { encodeCallData } from '../simulation/evmCode.ts';
import { knownFunction } from './knownFunctions.ts';

/** A function in a contract's dispatcher. */
export interface CodeFunction {
  readonly selector: Hex;
  /** Types of its arguments, as far as the code shows them: `address,uint256`. */
  readonly arguments: string;
  /** Whether it may write to the state, as far as the code shows. */
  readonly writes: boolean;
}

/** Functions that are listed. */
const FUNCTIONS_FOUND_MAX = 256;
/**
 * Contracts have a few dozen functions. Finding a function's argument types takes up to milliseconds, so if there are
 * more than this (to slow the analysis down), only the selectors are found.
 */
const ANALYZED_MAX = 128;
const READ_ONLY: ReadonlySet<string | undefined> = new Set(['pure', 'view']);

/** Stands for a call without a known function, which the fallback handles. */
export const NO_FUNCTION: CodeFunction = {
  selector: '0xffffffff',
  arguments: 'address,uint256',
  writes: true,
};

/** The functions of deployed code, found by following its dispatcher; none if that fails. */
export const codeFunctions = (code: Hex): CodeFunction[] => {
  try {
    const selectors = contractInfo(code, { selectors: true }).functions ?? [];
    const found =
      selectors.length > ANALYZED_MAX
        ? selectors
        : (contractInfo(code, { selectors: true, arguments: true, stateMutability: true })
            .functions ?? []);
    return found.slice(0, FUNCTIONS_FOUND_MAX).map((one) => ({
      selector: `0x${one.selector}`,
      arguments: one.arguments ?? '',
      writes: !READ_ONLY.has(one.stateMutability),
    }));
  } catch {
    // Hostile code may break the analysis: then its functions are unknown, nothing else.
    return [];
  }
};

/** Accounts and amounts that the arguments of a simulated call may name. */
export interface ProbeCast {
  /** The caller. */
  readonly caller: Hex;
  /** A recent buyer. */
  readonly victim: Hex;
  /** An unused address. */
  readonly stranger: Hex;
  readonly supply: bigint;
  /** The buyer's tokens. */
  readonly held: bigint;
  /** The account that holds the pool's tokens, and most of them, if there is one. */
  readonly pool?: { readonly holder: Hex; readonly amount: bigint } | undefined;
  /** The token, if another contract is called, which may expect it as an argument. */
  readonly token?: Hex;
  /**
   * Whether to send a tiny amount to the buyer too: by the code, some accounts close sales for those to whom they
   * send.
   */
  readonly gives?: boolean | undefined;
}

/** A call to simulate as a privileged address, or on a locker. */
export interface ProbeCall {
  readonly selector: Hex;
  readonly data: Hex;
}

/** Argument values of one attempt. */
interface Filling {
  readonly addresses: (cast: ProbeCast) => readonly [Hex, ...Hex[]];
  readonly amount: (cast: ProbeCast) => bigint;
  readonly flag: boolean;
}

const onVictim = ({ victim, stranger }: ProbeCast) => [victim, stranger] as const;
const onStranger = ({ victim, stranger }: ProbeCast) => [stranger, victim] as const;
const onCaller = ({ caller, victim }: ProbeCast) => [caller, victim] as const;

/**
 * Ways in which owners harm buyers, by argument values: a whole supply to someone new, a buyer's tokens away, and
 * percentages, basis points, zeros and flags that activate fees, limits and lists.
 */
const FILLINGS: readonly Filling[] = [
  { addresses: onStranger, amount: ({ supply }) => supply, flag: true },
  { addresses: onVictim, amount: ({ held }) => held, flag: true },
  { addresses: onVictim, amount: () => 99n, flag: true },
  { addresses: onVictim, amount: () => 0n, flag: false },
  { addresses: onVictim, amount: () => 9_900n, flag: true },
  { addresses: onVictim, amount: () => 25n, flag: false },
];

/**
 * Arguments for another contract about the token: about a buyer or the pool, to take or allow everything or hardly
 * anything; and to move the buyer's tokens, in the argument order of such functions.
 */
const ofToken = (token: Hex, { pool, held }: ProbeCast): Filling[] => {
  const about = (holder: (cast: ProbeCast) => Hex, most: bigint): Filling[] =>
    [most, 1n].map((amount) => ({
      addresses: (cast) => [token, holder(cast)],
      amount: () => amount,
      flag: amount === most,
    }));
  return [
    ...about(({ victim }) => victim, held),
    ...(pool ? about(() => pool.holder, pool.amount) : []),
    {
      addresses: ({ victim, stranger }) => [victim, stranger, token],
      amount: () => held,
      flag: true,
    },
  ];
};

/** More than anybody has, and later than any deadline. */
const ENDLESS = 2n ** 120n;
/**
 * Standard functions that move what the caller owns or may spend, with the one call of each that must fail for any
 * caller: it transfers more than exists, takes what is somebody else's, or approves that without a signature.
 */
const MUST_FAIL: readonly (readonly [signature: string, filling: Filling])[] = [
  [
    'transfer(address,uint256)',
    { addresses: onStranger, amount: (cast) => cast.supply, flag: true },
  ],
  ['transfer(address,uint256)', { addresses: onCaller, amount: (cast) => cast.supply, flag: true }],
  [
    'transferFrom(address,address,uint256)',
    { addresses: onVictim, amount: (cast) => cast.held, flag: true },
  ],
  [
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    { addresses: onVictim, amount: () => ENDLESS, flag: true },
  ],
];

/** Takes the pool's tokens, for which nobody has approval. */
const takeFromPool = ({
  holder,
  amount,
}: NonNullable<ProbeCast['pool']>): (typeof MUST_FAIL)[number] => [
  'transferFrom(address,address,uint256)',
  { addresses: ({ caller }) => [holder, caller], amount: () => amount, flag: true },
];

const GIFT: (typeof MUST_FAIL)[number] = [
  'transfer(address,uint256)',
  { addresses: onVictim, amount: () => 1n, flag: true },
];

/** A contract's functions to simulate, those without a known name first. */
const FUNCTIONS_PROBED_MAX = 24;
const ARGUMENTS_MAX = 12;
/**
 * Standard functions do what they say, unless `MUST_FAIL` shows otherwise; moving the ownership shows nothing by
 * itself.
 */
const NOT_TRIED: ReadonlySet<string | undefined> = new Set([
  'erc20',
  'harmless',
  'owner',
  'ownership',
  'upgrade',
  'roles',
]);

/** The types of a function's arguments; undefined if they are too many to fill, or structs. */
const fillableTypes = ({ arguments: types }: CodeFunction): string[] | undefined => {
  const list = types === '' ? [] : types.split(',');
  return list.length > ARGUMENTS_MAX || types.includes('(') ? undefined : list;
};

const UINT = /^u?int\d{0,3}$/;
const BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/;

/** Functions that take a contract and calldata for it: `execute` of wallets and timelocks. */
const isForwarding = (types: readonly string[]): boolean =>
  types.some((type) => /^address(\[\])?$/.test(type)) &&
  types.some((type) => /^bytes(\[\])?$/.test(type));

/**
 * Calls that would make a contract call another one in its own name. @param data calldata for the other contract
 */
export const forwardingCalls = (
  functions: readonly CodeFunction[],
  target: Hex,
  data: Hex,
): ProbeCall[] =>
  functions.flatMap((one) => {
    const { selector, writes } = one;
    const types = fillableTypes(one);
    if (!writes || !types || !isForwarding(types)) return [];
    const values = types.map((type) => forwardedValue(type, target, data));
    const encoded = values.includes(undefined)
      ? undefined
      : encodeCallData(selector, types, values);
    return encoded ? [{ selector, data: encoded }] : [];
  });

/** The contract, the data, and nothing else. */
const forwardedValue = (type: string, target: Hex, data: Hex): unknown => {
  if (type.endsWith('[]')) return [forwardedValue(type.slice(0, -2), target, data)];
  if (type === 'address') return target;
  if (type === 'bytes') return data;
  if (type === 'bool') return false;
  if (type === 'string') return '';
  if (UINT.test(type)) return 0n;
  const bytes = BYTES.exec(type)?.[1];
  return bytes === undefined ? undefined : `0x${'00'.repeat(Number(bytes))}`;
};

const valueOf = (type: string, filling: Filling, cast: ProbeCast, address: Hex): unknown => {
  if (type.endsWith('[]')) return [valueOf(type.slice(0, -2), filling, cast, address)];
  if (type === 'address') return address;
  if (type === 'bool') return filling.flag;
  if (UINT.test(type)) return clamp(type, filling.amount(cast));
  const bytes = BYTES.exec(type)?.[1];
  if (bytes !== undefined) return `0x${'00'.repeat(Number(bytes))}`;
  if (type === 'bytes') return '0x';
  if (type === 'string') return '';
  return undefined;
};

/** A number that fits the type: a small integer type cannot hold a supply. */
const clamp = (type: string, value: bigint): bigint => {
  const bits = BigInt(type.replace(/\D/g, '') || '256');
  const max = (1n << (type.startsWith('u') ? bits : bits - 1n)) - 1n;
  return value > max ? max : value;
};

const encode = (
  selector: Hex,
  types: readonly string[],
  filling: Filling,
  cast: ProbeCast,
): Hex | undefined => {
  let addresses = 0;
  const accounts = filling.addresses(cast);
  const [first] = accounts;
  const values = types.map((type) => {
    const isAddress = type.startsWith('address');
    const account = (isAddress && accounts[addresses]) || first;
    if (isAddress) addresses += 1;
    return valueOf(type, filling, cast, account);
  });
  return values.includes(undefined) ? undefined : encodeCallData(selector, types, values);
};

/** Distinct calls of a function, with the argument values that fit its types. */
const filledCalls = (
  selector: Hex,
  types: readonly string[],
  fillings: readonly Filling[],
  cast: ProbeCast,
): ProbeCall[] => {
  const encoded = fillings.flatMap((filling) => encode(selector, types, filling, cast) ?? []);
  return [...new Set(encoded)].map((data) => ({ selector, data }));
};

/** Further possible argument types: the code may not look at the elements of a list, which may be accounts. */
const readingsOf = (types: readonly string[]): (readonly string[])[] =>
  types.includes('uint256[]')
    ? [types.map((type) => (type === 'uint256[]' ? 'address[]' : type)), types]
    : [types];

const callsOf = (one: CodeFunction, cast: ProbeCast): ProbeCall[] => {
  const types = fillableTypes(one);
  const fillings = cast.token ? [...ofToken(cast.token, cast), ...FILLINGS] : FILLINGS;
  const readings = types ? readingsOf(types) : [];
  return readings.flatMap((reading) => filledCalls(one.selector, reading, fillings, cast));
};

/** Calls that must fail, of the standard functions present; their argument types are known. */
const forbiddenCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] =>
  functions.flatMap(({ selector }) => {
    const signature = knownFunction(selector)?.signature ?? '';
    const types = signature.slice(signature.indexOf('(') + 1, -1).split(',');
    const calls = [
      ...MUST_FAIL,
      ...(cast.gives ? [GIFT] : []),
      ...(cast.pool ? [takeFromPool(cast.pool)] : []),
    ];
    const fillings = calls.flatMap(([one, filling]) => (one === signature ? [filling] : []));
    return filledCalls(selector, types, fillings, cast);
  });

/** Functions that are simulated. */
const triedFunctions = (functions: readonly CodeFunction[]): CodeFunction[] => {
  const tried = functions.filter(
    ({ selector, writes }) => writes && !NOT_TRIED.has(knownFunction(selector)?.role),
  );
  const unnamed = tried.filter(({ selector }) => !knownFunction(selector));
  const named = tried.filter(({ selector }) => knownFunction(selector));
  return [...unnamed, ...named].slice(0, FUNCTIONS_PROBED_MAX);
};

/** Calls that would show what a privileged address can do to buyers, a limited number. */
export const probeCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] => [
  ...forbiddenCalls(functions, cast),
  ...triedFunctions(functions).flatMap((one) => callsOf(one, cast)),
];

/** Of ERC-20: the caller's approvals, and what it may take: a purchase may have silently approved that. */
const PERMISSIONS: ReadonlySet<string | undefined> = new Set([
  'approve(address,uint256)',
  'transferFrom(address,address,uint256)',
]);

/** Standard functions that only change the caller's own approvals, allowances, tokens or votes. */
const isStandard = ({ selector }: CodeFunction): boolean => {
  const { role, signature } = knownFunction(selector) ?? {};
  return role === 'harmless' || PERMISSIONS.has(signature);
};

/**
 * Calls of standard functions, on a buyer and on someone new: they harm nobody, unless something is hidden in them.
 */
export const standardCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] =>
  functions
    .filter(isStandard)
    .flatMap(({ selector, arguments: types }) =>
      filledCalls(selector, types.split(','), FILLINGS.slice(0, 2), cast),
    );

/** A call that gives the caller itself a role, if there is one. */
const ON_ITSELF: Filling = {
  addresses: ({ caller }) => [caller, caller],
  amount: ({ supply }) => supply,
  flag: true,
};

/**
 * Calls by which a privileged address would enter itself in a list: harmless by themselves, but they may enable more.
 */
export const enteringCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] =>
  triedFunctions(functions).flatMap((one) => {
    const types = fillableTypes(one) ?? [];
    return types.includes('address') ? filledCalls(one.selector, types, [ON_ITSELF], cast) : [];
  });
