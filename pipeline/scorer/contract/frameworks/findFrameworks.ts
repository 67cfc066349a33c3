import type { Hex } from '../../../../shared/chain/block.ts';
import { selectorOf } from '../../simulation/evmCode.ts';
import type { ContractProfile } from '../contractProfile.ts';
import { FRAMEWORKS } from './frameworkCatalogue.ts';

/** A framework whose marks are in the code: how many of the known ones. */
export type FoundFramework = NonNullable<ContractProfile['frameworks']>[number];

const WORD_DIGITS = 64;
const PUSH1 = 0x60;
const SHL = '1b';

const byteOf = (value: number): string => value.toString(16).padStart(2, '0');

/** The instruction that pushes digits onto the stack, as digits. */
const push = (digits: string): string => `${byteOf(PUSH1 + digits.length / 2 - 1)}${digits}`;

const evenDigits = (value: bigint): string => {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
};

/** How compilers push a word that ends with zeros: unchanged, or as its leading part and a shift. */
const wordNeedles = (word: string): string[] => {
  const value = BigInt(`0x${word}`);
  const zeros = value.toString(2).length - value.toString(2).lastIndexOf('1') - 1;
  const shift = push(byteOf(zeros));
  return [push(word), `${push(evenDigits(value >> BigInt(zeros)))}${shift}${SHL}`];
};

/** An error is compared with its selector, or returned as the first four bytes of a word. */
const errorNeedles = (signature: string): string[] => {
  const selector = selectorOf(signature).slice(2);
  return [push(selector), ...wordNeedles(selector.padEnd(WORD_DIGITS, '0'))];
};

/** The first 32 bytes of a longer text are a word in the code, or in its data. */
const textNeedles = (text: string): string[] => {
  const digits = Buffer.from(text, 'latin1').toString('hex');
  return digits.length < WORD_DIGITS
    ? wordNeedles(digits.padEnd(WORD_DIGITS, '0'))
    : [digits.slice(0, WORD_DIGITS)];
};

/** A full word may be in the data too: compilers copy frequently used ones from there. */
const constantNeedles = (constant: Hex): string[] => {
  const digits = constant.slice(2);
  return [digits.length < WORD_DIGITS ? push(digits) : digits];
};

/**
 * How the marks of the catalogue are found: functions by their selectors, everything else by any of several byte
 * sequences anywhere in the code. A disassembler would lose track in data between instructions; five bytes or more
 * hardly match by chance.
 */
const CATALOGUE = FRAMEWORKS.map((framework) => {
  const { name, needed, functions = [], errors = [], texts = [], constants = [] } = framework;
  const needles = [
    ...errors.map(errorNeedles),
    ...texts.map(textNeedles),
    ...constants.map(constantNeedles),
  ];
  const of = functions.length + needles.length;
  return { name, needed, selectors: functions.map(selectorOf), needles, of };
});

/**
 * The frameworks of the catalogue with enough marks in the code.
 * @param selectors of the functions in the dispatcher
 */
export const findFrameworks = (code: Hex, selectors: readonly Hex[]): FoundFramework[] => {
  const known = new Set(selectors);
  const isIn = (needle: string): boolean => code.includes(needle);
  return CATALOGUE.flatMap(({ name, needed, of, ...marks }) => {
    const called = marks.selectors.filter((selector) => known.has(selector));
    const written = marks.needles.filter((ways) => ways.some(isIn));
    const found = called.length + written.length;
    return found < needed ? [] : [{ name, marks: found, of }];
  });
};

type Proxy = NonNullable<ContractProfile['proxy']>;

/** `contractState.ts` says how a proxy is recognised. An account that delegates to code (EIP-7702) is none. */
const PROXIES: Readonly<Record<Exclude<Proxy['kind'], 'eip7702'>, string>> = {
  eip1167: 'EIP-1167 proxy',
  eip1967: 'ERC-1967 proxy',
  beacon: 'ERC-1967 beacon proxy',
  eip1822: 'ERC-1822 proxy',
  zeppelin: 'ZeppelinOS proxy',
};

/** The frameworks of a contract: its kind of proxy, if it is one, and those of the code that it runs. */
export const contractFrameworks = (
  proxy: Proxy | null,
  found: readonly FoundFramework[],
): FoundFramework[] => {
  if (!proxy) return [...found];
  const { kind, implementation } = proxy;
  const own = kind === 'eip7702' ? [] : [{ name: PROXIES[kind], marks: 1, of: 1 }];
  return [...own, ...found].map((one) => ({ ...one, implementation }));
};
