import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Hex } from '../../chain/block.ts';
import { projectRoot } from '../../platform/projectRoot.ts';

const hexSchema = z.custom<`0x${string}`>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value),
);
const bytecodesSchema = z.record(hexSchema);

/** Creation bytecode by contract name. */
export type Bytecodes = z.infer<typeof bytecodesSchema>;

const outputSchema = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z
    .record(z.record(z.object({ evm: z.object({ bytecode: z.object({ object: z.string() }) }) })))
    .optional(),
});

type Imported = { contents: string } | { error: string };
type Compiler = {
  version: () => string;
  compile: (inputJson: string, callbacks?: { import: (path: string) => Imported }) => string;
};

const CONTRACTS_DIR = fileURLToPath(new URL('./contracts/', import.meta.url));
const CACHE_DIR = join(projectRoot(), '.local/cache');
/** What bytecode is made with, beside the settings. */
const PACKAGES = ['solc', '@openzeppelin/contracts'] as const;
const SETTINGS = {
  evmVersion: 'paris',
  optimizer: { enabled: true, runs: 200 },
  // The model of codes reads the hash of the sources too: with it, a comment could change a verdict.
  metadata: { bytecodeHash: 'none' },
};
const OUTPUT = { '*': ['evm.bytecode.object'] };
/** Subfolder of the contracts that only the zoo needs: compiling the libraries they use takes a while. */
export const ZOO_DIR = 'zoo/';
const V4_DIR = 'v4/';

/**
 * Compiles `contracts/*.sol` and, where they are wanted, those of the zoo, and answers the creation
 * bytecode of each contract. The result is kept under `.local/cache` by a hash of sources, settings and versions, because the
 * compiler needs seconds and test files run in processes of their own.
 * @throws Error with the compiler's messages when a contract does not compile
 */
export const compileContracts = async ({ zoo = false } = {}): Promise<Bytecodes> => {
  const plain = await readSources('');
  if (!zoo) return compileCached(plain, [...plain.keys()]);
  const special = await readSources(ZOO_DIR);
  const [base, more] = [
    await compileCached(plain, [...plain.keys()]),
    await compileCached(new Map([...plain, ...special]), [...special.keys()]),
  ];
  return { ...base, ...more };
};

/** The contracts that act in Uniswap V4 and its hooks: creation bytecode by contract name. */
export const compileV4 = async (): Promise<Bytecodes> => {
  const sources = await readSources(V4_DIR);
  return compileCached(sources, [...sources.keys()]);
};

/** Compiles the files wanted, of all the sources they may import. */
const compileCached = async (
  sources: Map<string, string>,
  wanted: readonly string[],
): Promise<Bytecodes> => {
  const inputs = [SETTINGS, wanted, [...sources]];
  const made = await keep(inputs, () => compile(loadCompiler(), sources, wanted));
  return bytecodesSchema.parse(made);
};

/** What is made from the inputs by the compiler and the libraries that are installed: anew, or as an earlier process kept it. */
const keep = async (inputs: unknown, make: () => unknown): Promise<unknown> => {
  const text = JSON.stringify([await Promise.all(PACKAGES.map(versionOf)), inputs]);
  const key = createHash('sha256').update(text).digest('hex').slice(0, 32);
  const cacheFile = join(CACHE_DIR, `devnet-contracts-${key}.json`);
  const kept = await readFile(cacheFile, 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept);
  const made = make();
  await mkdir(CACHE_DIR, { recursive: true });
  // Written aside and renamed, so that no other process ever reads half a file.
  const unfinished = `${cacheFile}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(made));
  await rename(unfinished, cacheFile);
  return made;
};

/** Contracts of a subfolder: text by path. */
export const readSources = async (folder: string): Promise<Map<string, string>> => {
  const files = await readdir(join(CONTRACTS_DIR, folder));
  const names = files.filter((name) => name.endsWith('.sol')).sort();
  const texts = names.map(async (name): Promise<[string, string]> => {
    return [`${folder}${name}`, await readFile(join(CONTRACTS_DIR, folder, name), 'utf8')];
  });
  return new Map(await Promise.all(texts));
};

const versionOf = async (name: string): Promise<string> => {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return z.object({ version: z.string() }).parse(JSON.parse(await readFile(manifest, 'utf8')))
    .version;
};

/** The compiler's runtime turns every later unhandled rejection into its own abort: undo that. */
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

const compile = (
  compiler: Compiler,
  sources: Map<string, string>,
  wanted: readonly string[],
): Bytecodes => {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries([...sources].map(([name, content]) => [name, { content }])),
    settings: {
      ...SETTINGS,
      outputSelection: Object.fromEntries(wanted.map((file) => [file, OUTPUT])),
    },
  };
  const output = outputSchema.parse(
    JSON.parse(compiler.compile(JSON.stringify(input), { import: readImport })),
  );
  const errors = (output.errors ?? []).filter((error) => error.severity === 'error');
  if (errors.length > 0) {
    throw new Error(errors.map((error) => error.formattedMessage).join('\n'));
  }
  const contracts = Object.values(output.contracts ?? {}).flatMap((file) => Object.entries(file));
  const concrete = contracts.filter(([, contract]) => contract.evm.bytecode.object.length > 0);
  return bytecodesSchema.parse(
    Object.fromEntries(concrete.map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`])),
  );
};

interface Compiled {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >;
}

/** What compilers are told beside what they shall put out. */
interface CompilerSettings {
  readonly evmVersion: string;
  readonly optimizer: object;
  readonly viaIR?: boolean;
  readonly metadata?: object;
}

/** Of the code that simulations inject: chains without PUSH0 run it, and nothing in it depends on metadata. */
const SIMULATED: CompilerSettings = {
  evmVersion: 'london',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
};

/**
 * Compiles Solidity files by their paths from `base`, a module's URL. Kept like those above.
 * @returns creation and runtime code by path and contract
 */
export const compileSources = async (
  base: string,
  paths: readonly string[],
  settings = SIMULATED,
) => {
  const texts = paths.map(
    async (path) => [path, { content: await readFile(new URL(path, base), 'utf8') }] as const,
  );
  const sources = Object.fromEntries(await Promise.all(texts));
  const wanted = { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] };
  const outputSelection = Object.fromEntries(paths.map((path) => [path, wanted]));
  const input = { language: 'Solidity', sources, settings: { ...settings, outputSelection } };
  const make = () =>
    JSON.parse(loadCompiler().compile(JSON.stringify(input), { import: readImport }));
  const output = (await keep(input, make)) as Compiled;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  assert.deepEqual(
    errors.map(({ formattedMessage }) => formattedMessage),
    [],
  );
  return (path: string, name: string) => {
    const evm = output.contracts[path]?.[name]?.evm;
    assert(evm, `${name} is compiled`);
    return {
      creation: `0x${evm.bytecode.object}` as Hex,
      runtime: `0x${evm.deployedBytecode.object}` as Hex,
    };
  };
};

const codeSchema = z.string().regex(/^(0x)?[0-9a-f]+$/i);
const artifactSchema = z.object({
  bytecode: z.union([codeSchema, z.object({ object: codeSchema })]),
});

/** Creation bytecode as an npm package publishes it. @param path of a build of a contract, such as `@uniswap/v2-core/build/X.json` */
export const publishedBytecode = (path: string): Hex => {
  const { bytecode } = artifactSchema.parse(createRequire(import.meta.url)(path));
  const text = typeof bytecode === 'string' ? bytecode : bytecode.object;
  return `0x${text.replace(/^0x/, '')}`;
};
