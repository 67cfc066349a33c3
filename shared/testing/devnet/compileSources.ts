import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Hex } from '../../chain/block.ts';

interface Compiled {
  readonly errors?: readonly { severity: string; formattedMessage: string }[];
  readonly contracts: Record<
    string,
    Record<string, { evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }>
  >;
}

const SETTINGS = {
  evmVersion: 'london',
  viaIR: true,
  optimizer: { enabled: true, runs: 1 },
  metadata: { appendCBOR: false, bytecodeHash: 'none' },
  outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
};

/**
 * Compiles Solidity files by their paths from `base`, a module's URL, with the settings of the code that
 * simulations inject: chains without PUSH0 run it, and nothing in it depends on metadata.
 * @returns creation and runtime code by path and contract
 */
export const compileSources = async (base: string, paths: readonly string[]) => {
  const compiler = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const texts = paths.map(
    async (path) => [path, { content: await readFile(new URL(path, base), 'utf8') }] as const,
  );
  const sources = Object.fromEntries(await Promise.all(texts));
  const input = { language: 'Solidity', sources, settings: SETTINGS };
  const output = JSON.parse(compiler.compile(JSON.stringify(input))) as Compiled;
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
