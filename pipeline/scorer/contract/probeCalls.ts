import { contractInfo } from 'evmole';
import type { Hex } from '../../../shared/chain/block.ts';
import { encodeCallData } from '../simulation/evmCode.ts';
import { knownFunction } from './knownFunctions.ts';

/** A function that the dispatcher of a contract knows. */
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
 * Contracts have a few dozen functions. What the arguments of each are takes up to milliseconds a
 * function, so that of more than this (made to take long) only the selectors are found.
 */
const ANALYZED_MAX = 128;
const READ_ONLY: ReadonlySet<string | undefined> = new Set(['pure', 'view']);

/** What stands for a call of no function, which the fallback of a contract takes. */
export const NO_FUNCTION: CodeFunction = {
  selector: '0xffffffff',
  arguments: 'address,uint256',
  writes: true,
};

/** The functions of deployed code, found by following its dispatcher; none where that fails. */
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
    // Hostile code may break the analysis: that its functions are unknown is all that follows.
    return [];
  }
};

/** Who and what the arguments of a tried call may name. */
export interface ProbeCast {
  /** Who makes the call. */
  readonly caller: Hex;
  /** A buyer who bought a moment ago. */
  readonly victim: Hex;
  /** An unused address. */
  readonly stranger: Hex;
  readonly supply: bigint;
  /** Tokens that the buyer holds. */
  readonly held: bigint;
  /** Where there is one, who holds the tokens of the pool, and most of them. */
  readonly pool?: { readonly holder: Hex; readonly amount: bigint } | undefined;
  /** The token, where another contract is called: that may ask for it. */
  readonly token?: Hex;
  /** Whether next to nothing is sent to the buyer too: by the code some accounts close sales for those to whom they send. */
  readonly gives?: boolean | undefined;
}

/** A call to try as a privileged address, or on a locker. */
export interface ProbeCall {
  readonly selector: Hex;
  readonly data: Hex;
}

/** What the arguments of one try are filled with. */
interface Filling {
  readonly addresses: (cast: ProbeCast) => readonly [Hex, ...Hex[]];
  readonly amount: (cast: ProbeCast) => bigint;
  readonly flag: boolean;
}

const onVictim = ({ victim, stranger }: ProbeCast) => [victim, stranger] as const;
const onStranger = ({ victim, stranger }: ProbeCast) => [stranger, victim] as const;
const onCaller = ({ caller, victim }: ProbeCast) => [caller, victim] as const;

/**
 * The ways owners harm buyers, by what they pass: a whole supply to someone new, a buyer's tokens
 * away, and percentages, basis points, zeros and flags that make fees, limits and lists bite.
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
 * What another contract is told of the token: about a buyer, or the pool, to take or let through all it has, or hardly anything; and to move the
 * buyer's tokens, in the order of such functions.
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
 * Standard functions that move what the caller owns or was permitted to: the one call of each that must fail, whoever makes it, since it gives away
 * more than there is, takes what is somebody else's, or permits that without a signature.
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

/** Takes what is in the pool: nobody is permitted that. */
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

/** Functions of a contract that are tried, those without a known name first. */
const FUNCTIONS_PROBED_MAX = 24;
const ARGUMENTS_MAX = 12;
/** Standard functions do what they say, but where `MUST_FAIL` shows otherwise; moving the ownership shows nothing by itself. */
const NOT_TRIED: ReadonlySet<string | undefined> = new Set([
  'erc20',
  'harmless',
  'owner',
  'ownership',
  'upgrade',
  'roles',
]);

/** The types of a function's arguments; undefined where these are too many to fill, or records. */
const fillableTypes = ({ arguments: types }: CodeFunction): string[] | undefined => {
  const list = types === '' ? [] : types.split(',');
  return list.length > ARGUMENTS_MAX || types.includes('(') ? undefined : list;
};

const UINT = /^u?int\d{0,3}$/;
const BYTES = /^bytes([1-9]|[12]\d|3[0-2])$/;

/** Functions that take a contract and what it is to be called with: `execute` of wallets and timelocks. */
const isForwarding = (types: readonly string[]): boolean =>
  types.some((type) => /^address(\[\])?$/.test(type)) &&
  types.some((type) => /^bytes(\[\])?$/.test(type));

/** Calls that would make a contract call another one in its own name. @param data what that one is called with */
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

/** Calls of a function, each once, by the fillings that fit its arguments. */
const filledCalls = (
  selector: Hex,
  types: readonly string[],
  fillings: readonly Filling[],
  cast: ProbeCast,
): ProbeCall[] => {
  const encoded = fillings.flatMap((filling) => encode(selector, types, filling, cast) ?? []);
  return [...new Set(encoded)].map((data) => ({ selector, data }));
};

/** What the arguments may be, besides what the code shows: where it does not look at the elements of a list, these may be accounts. */
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

/** What must fail, of the standard functions that are there; their arguments are known. */
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

/** Functions that are tried. */
const triedFunctions = (functions: readonly CodeFunction[]): CodeFunction[] => {
  const tried = functions.filter(
    ({ selector, writes }) => writes && !NOT_TRIED.has(knownFunction(selector)?.role),
  );
  const unnamed = tried.filter(({ selector }) => !knownFunction(selector));
  const named = tried.filter(({ selector }) => knownFunction(selector));
  return [...unnamed, ...named].slice(0, FUNCTIONS_PROBED_MAX);
};

/** Calls that would show what a privileged address can do to buyers, a bounded number. */
export const probeCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] => [
  ...forbiddenCalls(functions, cast),
  ...triedFunctions(functions).flatMap((one) => callsOf(one, cast)),
];

/** Of ERC-20: what the caller permits, and what it was permitted to take: a purchase may have done that without a word. */
const PERMISSIONS: ReadonlySet<string | undefined> = new Set([
  'approve(address,uint256)',
  'transferFrom(address,address,uint256)',
]);

/** Standard functions that change nothing but what the caller itself permits, was permitted, owns, or votes by. */
const isStandard = ({ selector }: CodeFunction): boolean => {
  const { role, signature } = knownFunction(selector) ?? {};
  return role === 'harmless' || PERMISSIONS.has(signature);
};

/** Calls of standard functions, on a buyer and on someone new: they harm nobody, unless something is hidden in them. */
export const standardCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] =>
  functions
    .filter(isStandard)
    .flatMap(({ selector, arguments: types }) =>
      filledCalls(selector, types.split(','), FILLINGS.slice(0, 2), cast),
    );

/** What gives the caller itself a role, where something does. */
const ON_ITSELF: Filling = {
  addresses: ({ caller }) => [caller, caller],
  amount: ({ supply }) => supply,
  flag: true,
};

/** Calls by which a privileged address would enter itself in a list: they do nothing to anybody, but may let it do more. */
export const enteringCalls = (functions: readonly CodeFunction[], cast: ProbeCast): ProbeCall[] =>
  triedFunctions(functions).flatMap((one) => {
    const types = fillableTypes(one) ?? [];
    return types.includes('address') ? filledCalls(one.selector, types, [ON_ITSELF], cast) : [];
  });
