import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { HOOK_SETS_FEE } from '../../../shared/market/marketBook.ts';
import type { CacheMeters } from '../../../shared/platform/metrics.ts';
import { opcodeHistogram } from '../model/opcodeHistogram.ts';
import { hookOf, type ManagedEntry, poolHolder } from '../pool/poolKind.ts';
import { clockedContract } from '../simulation/callSequence.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { readBirthAccounts } from './birthAccounts.ts';
import { codePatterns, codeSketch, disassemble, namedAddresses } from './codePatterns.ts';
import type {
  ContractProfile,
  ContractSubject,
  HookProfile,
  PrivilegedCaller,
} from './contractProfile.ts';
import {
  type ContractState,
  codeHashOf,
  heldBy,
  readContract,
  readProxyRuler,
} from './contractState.ts';
import { contractFrameworks, findFrameworks } from './frameworks/findFrameworks.ts';
import { readOutside } from './outsideContracts.ts';
import { type ProbedHook, type ProberPorts, probePowers } from './powerProber.ts';
import { findPowers } from './powers/findPowers.ts';
import {
  type FoundPower,
  harmfulPowers,
  kindsOfHolders,
  readPrivileged,
} from './privilegeHolders.ts';
import { codeFunctions, NO_FUNCTION } from './probeCalls.ts';
import { hashesCompared, secretCode } from './secrets.ts';
import { readPoolSpenders, readTouched } from './touchedContracts.ts';
import { findUpgrade } from './upgrades.ts';

export interface ContractReader {
  /**
   * What the contract's code, storage and behaviour show at the head. Undefined if the node has no code. At most a
   * few hundred calls per token, in batches.
   * @throws RetryableError while the node is unavailable.
   */
  read(subject: ContractSubject): Promise<ContractProfile | undefined>;
}

export interface ContractReaderPorts extends ProberPorts {
  readonly caches?: CacheMeters | undefined;
}

/** Addresses without a public role that are simulated as callers: each costs as many calls as the owner. */
const HIDDEN_CALLERS_MAX = 2;
const BORN_CALLERS_MAX = 2;
/** Addresses named by a token that are checked for code. */
const NAMED_MAX = 16;
/** Codes whose analysis is cached: a few kilobytes each. */
const CODES_REMEMBERED = 500;

/** What code shows by itself. */
const analyze = (code: Hex) => {
  const instructions = disassemble(code);
  const functions = codeFunctions(code);
  const selectors = functions.map(({ selector }) => selector);
  const powers = findPowers(
    code,
    selectors.map((selector) => selector.slice(2)),
  );
  return {
    functions,
    selectors,
    frameworks: findFrameworks(code, selectors),
    powers: harmfulPowers(powers),
    mayCount: powers.mayCount,
    asksOthers: powers.limit.findings.some(({ reason }) => reason === 'refusedElsewhere'),
    hashes: hashesCompared(instructions),
    patterns: codePatterns(instructions),
    named: namedAddresses(instructions),
    ...codeSketch(instructions),
    opcodes: [...opcodeHistogram(code)].flatMap((count, i): [number, number][] =>
      count > 0 ? [[i, count]] : [],
    ),
  };
};

/**
 * Addresses named by a token, by whether they have code. Those for which the node gives no answer are in neither
 * list.
 */
interface NamedAddresses {
  readonly accounts: readonly Hex[];
  readonly contracts: readonly Hex[];
}

/** Addresses named by the token, without itself, its quote token and its markets. */
const readNamed = async (
  { node, weth }: ContractReaderPorts,
  { token, pool }: ContractSubject,
  named: readonly Hex[],
): Promise<NamedAddresses> => {
  const known = new Set<Hex>([token, weth, ...(pool ? [poolHolder(pool), pool.baseToken] : [])]);
  const others = [...new Set(named)].filter((one) => !known.has(one)).slice(0, NAMED_MAX);
  if (others.length === 0) return { accounts: [], contracts: [] };
  const codes = await node.batch(
    others.map((address) => ({ method: 'eth_getCode', params: [address, 'latest'] })),
  );
  const withCode = (hasCode: boolean): Hex[] =>
    others.filter((_address, i) => {
      const code = codes[i];
      return code?.ok === true && (code.result !== '0x') === hasCode;
    });
  return { accounts: withCode(false), contracts: withCode(true) };
};

/** Unused addresses that are examined: each costs two simulations. */
const UNBORN_MAX = 2;

/**
 * Accounts without code that never sent or held anything: a contract may be deployed there. @param holders whose kind
 * is known
 */
const readUnborn = async (
  node: ChainNode,
  accounts: readonly Hex[],
  holders: ContractProfile['holders'],
): Promise<Hex[]> => {
  const known = new Map(holders.map(({ address, kind }) => [address, kind]));
  const others = accounts.filter((one) => !known.has(one));
  const kinds = new Map([...known, ...(await kindsOfHolders(node, others))]);
  return accounts.filter((one) => kinds.get(one) === 'unknown').slice(0, UNBORN_MAX);
};

const TRANSFER = 'a9059cbb';
/** Whether a transfer itself can close sales. */
const marksRecipient = ({ finding: { reason, selector, by } }: FoundPower): boolean =>
  reason === 'closedByPrivileged' && selector === TRANSFER && by === undefined;

/** A hook as shown, and as simulated. */
interface ReadHook {
  readonly profile: HookProfile;
  readonly probed: ProbedHook;
}

/** Known holders, each once, for the first reason. */
const knownCallers = (
  callers: readonly (readonly [Hex | null | undefined, PrivilegedCaller['origin']])[],
): PrivilegedCaller[] => {
  const known = new Map<Hex, PrivilegedCaller>();
  for (const [address, origin] of callers) {
    if (!address || address === ZERO_ADDRESS || known.has(address)) continue;
    known.set(address, { address, origin });
  }
  return [...known.values()];
};

/** Undefined if the pool has no hook, or the node does not return its code. */
const readHook = async (
  node: ChainNode,
  entry: ManagedEntry | undefined,
  creator: Hex,
): Promise<ReadHook | undefined> => {
  const address = hookOf(entry);
  if (!entry || !address) return undefined;
  const found = await readContract(node, address);
  if (!found) return undefined;
  const { proxy, code } = found;
  const { manager, fee } = entry;
  const { owner } = found.state;
  return {
    profile: { address, manager, setsFee: fee === HOOK_SETS_FEE, owner, proxy },
    probed: {
      address,
      functions: codeFunctions(code),
      secrets: secretCode(address, found, hashesCompared(disassemble(code))),
      callers: knownCallers([
        [heldBy(owner), 'owner'],
        [proxy?.admin, 'storage'],
        [creator, 'creator'],
      ]),
      clock: clockedContract(address, found, 'number'),
    },
  };
};

/**
 * Who has which power by the code, and as whom calls are simulated: known accounts, wallets with such a power, then
 * other accounts that the token stores or compares callers with, and wallets named at its creation: an account in a
 * mapping or in an unusual slot is often found nowhere else. Contracts are left out as hidden owners: they are routers
 * or pools.
 */
const readCallers = async (
  node: ChainNode,
  subject: ContractSubject,
  { owner, stored }: ContractState,
  { powers, patterns, named }: Pick<ReturnType<typeof analyze>, 'powers' | 'patterns' | 'named'>,
  accounts: readonly Hex[],
  ruler: Hex | null,
) => {
  const { token, creator } = subject;
  const { comparedCallers } = patterns;
  const open = knownCallers([
    [heldBy(owner), 'owner'],
    [creator, 'creator'],
  ]);
  const isSuspect = (one: Hex): boolean => comparedCallers.includes(one) || stored.includes(one);
  // The purpose of an address in the code may be unknown: it comes last.
  const suspects = [...accounts.filter(isSuspect), ...accounts.filter((one) => !isSuspect(one))];
  const candidates = [
    ...open.map(({ address }) => address),
    ...suspects,
    ...(ruler ? [ruler] : []),
    ...stored,
    ...comparedCallers,
  ];
  const born = await readBirthAccounts(node, subject, new Set(candidates));
  const privileged = await readPrivileged(node, token, powers, [...candidates, ...born]);
  const powerful = privileged.codePowers.flatMap(({ holder: { kind, address } }) =>
    (kind === 'wallet' || kind === 'unknown') && address ? [address] : [],
  );
  const hidden = [...new Set([...powerful, ...suspects])]
    .filter((one) => !open.some(({ address }) => address === one))
    .slice(0, HIDDEN_CALLERS_MAX)
    .map((address): PrivilegedCaller => {
      return { address, origin: named.includes(address) ? 'code' : 'storage' };
    });
  const kindOf = new Map(privileged.holders.map(({ address, kind }) => [address, kind]));
  const bornWallets = born
    .filter((one) => kindOf.get(one) === 'wallet' && !powerful.includes(one))
    .slice(0, BORN_CALLERS_MAX)
    .map((address): PrivilegedCaller => ({ address, origin: 'creation' }));
  return { privileged, callers: [...open, ...hidden, ...bornWallets], born };
};

/** Who owns the token, and contracts to which its code gives a power. */
const powerfulContracts = (
  { owner }: ContractState,
  { codePowers }: Pick<ContractProfile, 'codePowers'>,
): Set<Hex> =>
  new Set([
    ...[heldBy(owner) ?? []].flat(),
    ...codePowers.flatMap(({ holder: { kind, address } }) =>
      kind !== 'wallet' && address ? [address] : [],
    ),
  ]);

/** Accounts and contracts around the token: who may do what, contracts that it calls, and its pool's hook. */
const readAround = async (
  ports: ContractReaderPorts,
  subject: ContractSubject,
  { state, proxy }: Pick<NonNullable<Awaited<ReturnType<typeof readContract>>>, 'state' | 'proxy'>,
  analyzed: ReturnType<typeof analyze>,
) => {
  const { node } = ports;
  const { selectors, patterns, named, asksOthers } = analyzed;
  const [touched, ruler] = await Promise.all([
    readTouched(node, subject),
    readProxyRuler(node, state, selectors),
  ]);
  const { accounts, contracts } = await readNamed(ports, subject, [
    ...touched,
    ...[heldBy(state.owner) ?? []].flat(),
    ...patterns.comparedCallers,
    ...state.stored,
    ...named,
  ]);
  const [spenders, { privileged, callers, born }] = await Promise.all([
    readPoolSpenders(node, subject, contracts),
    readCallers(node, subject, state, analyzed, accounts, ruler),
  ]);
  const [unborn, outside, hook, upgrade] = await Promise.all([
    readUnborn(node, accounts, privileged.holders),
    readOutside(
      node,
      {
        token: subject.token,
        asksOthers,
        touched: new Set(touched),
        powerful: new Set([...powerfulContracts(state, privileged), ...spenders]),
        born,
      },
      contracts,
      callers,
    ),
    readHook(node, subject.pool?.entry, subject.creator),
    proxy
      ? findUpgrade(
          node,
          subject.token,
          proxy,
          selectors,
          callers.filter(({ address }) => address !== ruler),
        )
      : undefined,
  ]);
  return { ruler, privileged, callers, unborn, outside, hook, upgrade };
};

export const createContractReader = (ports: ContractReaderPorts): ContractReader => {
  const { node, caches } = ports;
  const meter = caches?.('contract_codes');
  const analyses = new LRUCache<Hex, ReturnType<typeof analyze>>({ max: CODES_REMEMBERED });

  const analysisOf = (code: Hex): ReturnType<typeof analyze> => {
    const hash = codeHashOf(code);
    const known = analyses.get(hash);
    meter?.asked(1, known ? 0 : 1);
    const analysis = known ?? analyze(code);
    analyses.set(hash, analysis);
    return analysis;
  };

  return {
    read: async (subject) => {
      const found = await readContract(node, subject.token);
      if (!found) return undefined;
      const { state, proxy, code } = found;
      const analyzed = analysisOf(code);
      const { functions, powers, hashes, patterns, frameworks, opcodes, skeleton, minima } =
        analyzed;
      const around = await readAround(ports, subject, found, analyzed);
      const { ruler, privileged, callers, unborn, outside, hook, upgrade } = around;
      return {
        v: 1,
        blockNumber: state.head.number,
        codeHash: codeHashOf(state.code),
        pool: subject.pool?.pool ?? null,
        proxy: proxy && { ...proxy, ruler, ...(upgrade && { upgrade }) },
        functions,
        patterns,
        opcodes,
        skeleton,
        minima,
        frameworks: contractFrameworks(proxy, frameworks),
        owner: state.owner,
        ...privileged,
        holders: [...privileged.holders, ...outside.flatMap(({ holders }) => holders)],
        nearScam: null,
        hook: hook?.profile ?? null,
        probe: await probePowers(ports, {
          subject,
          state,
          // If the code gives a power to calls without a known function, one is simulated.
          functions: powers.some(({ finding }) => finding.selector === 'fallback')
            ? [...functions, NO_FUNCTION]
            : functions,
          callers,
          marksRecipients: powers.some(marksRecipient),
          secrets: secretCode(subject.token, found, hashes),
          outside,
          unborn,
          mayCount: analyzed.mayCount || analyzed.asksOthers,
          clock: clockedContract(subject.token, found, 'number'),
          hook: hook?.probed,
        }),
      };
    },
  };
};
