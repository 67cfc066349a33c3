import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import type { Hex } from '../../chain/block.ts';
import { projectRoot } from '../../platform/projectRoot.ts';

/** Creation bytecode by contract name. */
export type Bytecodes = Readonly<Record<string, Hex>>;

const codeSchema = z.object({ object: z.string() });
const contractSchema = z.object({
  evm: z.object({ bytecode: codeSchema, deployedBytecode: codeSchema }),
});
const outputSchema = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z.record(z.record(contractSchema)).default({}),
});

type Imported = { contents: string } | { error: string };
type Compiler = {
  version: () => string;
  compile: (inputJson: string, callbacks?: { import: (path: string) => Imported }) => string;
};

const CONTRACTS = new URL('./contracts/', import.meta.url).href;
const CACHE_DIR = join(projectRoot(), '.local/cache');
/** Inputs of the bytecode besides the settings. */
const PACKAGES = ['solc', '@openzeppelin/contracts'] as const;
const SETTINGS: CompilerSettings = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  // The code model also reads the metadata hash of the sources: with it, a comment could change a verdict.
  metadata: { bytecodeHash: 'none' },
};
const OUTPUT = { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] };
/** Subfolder of the contracts that only the zoo needs: compiling their libraries takes a while. */
export const ZOO_DIR = 'zoo/';
const V4_DIR = 'v4/';

/**
 * Compiles `contracts/*.sol` and, if requested, those of the zoo, and returns the creation bytecode of each contract.
 * The result is cached in `.local/cache` by a hash of sources, settings and versions, because the compiler needs
 * seconds and test files run in separate processes.
 * @throws Error with the compiler's messages when a contract does not compile
 */
export const compileContracts = async ({ zoo = false } = {}): Promise<Bytecodes> => {
  const plain = await readSources('');
  const base = await compileCached(plain, Object.keys(plain));
  if (!zoo) return base;
  const special = await readSources(ZOO_DIR);
  return { ...base, ...(await compileCached({ ...plain, ...special }, Object.keys(special))) };
};

/** The contracts that act in Uniswap V4 and its hooks: creation bytecode by contract name. */
export const compileV4 = async (): Promise<Bytecodes> => {
  const sources = await readSources(V4_DIR);
  return compileCached(sources, Object.keys(sources));
};

type Sources = Readonly<Record<string, { readonly content: string }>>;

/**
 * Compiles the requested files, from all sources they may import.
 * @returns contracts by file and name
 */
const compile = async (
  sources: Sources,
  wanted: readonly string[],
  settings: CompilerSettings,
): Promise<z.output<typeof outputSchema>['contracts']> => {
  const outputSelection = Object.fromEntries(wanted.map((file) => [file, OUTPUT]));
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } };
  const make = (): unknown =>
    JSON.parse(loadCompiler().compile(JSON.stringify(input), { import: readImport }));
  const { errors, contracts } = outputSchema.parse(await keep(input, make));
  const failures = errors.filter(({ severity }) => severity === 'error');
  if (failures.length === 0) return contracts;
  throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'));
};

const compileCached = async (sources: Sources, wanted: readonly string[]): Promise<Bytecodes> => {
  const files = Object.values(await compile(sources, wanted, SETTINGS));
  const codes = files.flatMap((file) =>
    Object.entries(file).map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`] as const),
  );
  // Interfaces have none.
  return Object.fromEntries(codes.filter(([, code]) => code !== '0x'));
};

/**
 * The output for these inputs with the installed compiler and libraries: new, or cached by an earlier process.
 */
const keep = async (inputs: unknown, make: () => unknown): Promise<unknown> => {
  const text = JSON.stringify([await Promise.all(PACKAGES.map(versionOf)), inputs]);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const cacheFile = join(CACHE_DIR, `devnet-contracts-${key}.json`);
  const kept = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const made = make();
  await mkdir(CACHE_DIR, { recursive: true });
  // Written to a temporary file and renamed, so that no other process ever reads half a file.
  const unfinished = `${cacheFile}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(made));
  await rename(unfinished, cacheFile);
  return made;
};

/** Contracts of a subfolder by path. */
export const readSources = async (folder: string): Promise<Sources> => {
  const files = await readdir(new URL(folder, CONTRACTS));
  const names = files.filter((name) => name.endsWith('.sol')).sort();
  return readFiles(
    CONTRACTS,
    names.map((name) => `${folder}${name}`),
  );
};

const readFiles = async (base: string, paths: readonly string[]): Promise<Sources> => {
  const texts = paths.map(
    async (path) => [path, { content: await readFile(new URL(path, base), 'utf8') }] as const,
  );
  return Object.fromEntries(await Promise.all(texts));
};

const versionOf = async (name: string): Promise<string> => {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(manifest, 'utf8')))
    .version;
};

/** The compiler's runtime turns every later unhandled rejection into its own abort: this is undone here. */
const loadCompiler = (): Compiler => {
  const before = process.listeners('unhandledRejection');
  const compiler: Compiler = createRequire(import.meta.url)('solc');
  for (const listener of process.listeners('unhandledRejection')) {
    if (!before.includes(listener)) process.off('unhandledRejection', listener);
  }
  return compiler;
};

/** Libraries are imported by the names of their packages. */
const readImport = (path: string): Imported => {
  try {
    return { contents: readFileSync(createRequire(import.meta.url).resolve(path), 'utf8') };
  } catch (error) {
    return { error: String(error) };
  }
};

/** Compiler settings besides the requested output. */
interface CompilerSettings {
  readonly evmVersion: string;
  readonly optimizer: object;
  readonly viaIR?: boolean;
  readonly metadata?: object;
}

/**
 * Settings of code that simulations inject: it must run on chains without PUSH0, and nothing in it depends on
 * metadata.
 */
const SIMULATED: CompilerSettings = {
  evmVersion: 'london',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};

/**
 * Compiles Solidity files by their paths from `base`, a module's URL. Cached like those above.
 * @returns creation and runtime code by path and contract
 */
export const compileSources = async (
  base: string,
  paths: readonly string[],
  settings = SIMULATED,
) => {
  const contracts = await compile(await readFiles(base, paths), paths, settings);
  return (path: string, name: string) => {
    const evm = contracts[path]?.[name]?.evm;
    assert(evm, `${name} is compiled`);
    const { bytecode, deployedBytecode } = evm;
    const [creation, runtime]: [Hex, Hex] = [
      `0x${bytecode.object}`,
      `0x${deployedBytecode.object}`,
    ];
    return { creation, runtime };
  };
};

const publishedSchema = z.string().regex(/^(0x)?[0-9a-f]+$/i);
const artifactSchema = z.object({
  bytecode: z.union([publishedSchema, z.object({ object: publishedSchema })]),
});

/** Creation bytecode as an npm package publishes it. @param path of a build of a contract, such as `@uniswap/v2-core/build/X.json` */
export const publishedBytecode = (path: string): Hex => {
  const { bytecode } = artifactSchema.parse(createRequire(import.meta.url)(path));
  const text = typeof bytecode === 'string' ? bytecode : bytecode.object;
  return `0x${text.replace(/^0x/, '')}`;
};
