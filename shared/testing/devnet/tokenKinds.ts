import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, pad, toHex } from 'viem';
import type { Bytecodes } from './compileContracts.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';
import { DEVNET_ABI } from './uniswapArtifacts.ts';
import { isZooKind, ZOO_CONTRACTS } from './zooKinds.ts';

/**
 * The zoo. Frauds: `honeypot` (sales revert), `tax` (25 % of a sale), `hiddenMint`, `ruggable` (an
 * ordinary token whose creator pulls the pool). Made by contracts: `factoryCreate`,
 * `factoryCreate2`, `factoryConstructor`. Hostile: the rest. More of the honest and of the frauds are
 * in `zooKinds.ts`.
 */
export type TokenKind = keyof typeof CONTRACT_OF;

/** What a new token says about itself. `supply` is in base units of 18 decimals. */
export type TokenText = { name: string; symbol: string; supply: bigint };

const CONTRACT_OF = {
  honest: 'HonestToken',
  ruggable: 'RuggableToken',
  hiddenMint: 'HiddenMintToken',
  honeypot: 'HoneypotToken',
  tax: 'TaxToken',
  factoryCreate: 'TokenFactory',
  factoryCreate2: 'TokenFactory',
  factoryConstructor: 'ConstructorFactory',
  hugeName: 'HugeNameToken',
  controlName: 'HonestToken',
  revertingName: 'RevertingNameToken',
  bytes32Name: 'Bytes32NameToken',
  noToken: 'NoToken',
  fakeTransfer: 'FakeTransferEmitter',
  fakeErc721: 'FakeErc721',
  ...ZOO_CONTRACTS,
} as const;

/** A name that attacks terminals, log files, table layouts and web pages at once. */
export const CONTROL_NAME = `Evil\u0000\u001b[31m\r\n\u202egnp.exe\u2066<img src=x onerror=alert(1)>`;
/** Looks like USDC: zero-width space, Cyrillic letters, a bidi mark and a tag to close. */
export const CONTROL_SYMBOL = `US\u200bD\u0421\u200f"'><script>`;

const TEXT_ARGUMENTS = [
  { type: 'string' },
  { type: 'string' },
  { type: 'uint256' },
  { type: 'address' },
] as const;

/** The creation code of a token of this kind, its constructor's arguments included. */
export const encodeDeployment = (
  bytecodes: Bytecodes,
  kind: TokenKind,
  text: TokenText,
  holder: Hex,
): Hex => {
  const bytecode = bytecodes[CONTRACT_OF[kind]];
  if (bytecode === undefined) throw new Error(`no bytecode of ${CONTRACT_OF[kind]}`);
  if (kind === 'honeypot' || kind === 'tax' || isZooKind(kind)) {
    const { factory, weth } = DEVNET_ADDRESSES;
    const types = [...TEXT_ARGUMENTS, { type: 'address' }, { type: 'address' }] as const;
    const values = [text.name, text.symbol, text.supply, holder, factory, weth] as const;
    return concatHex([bytecode, encodeAbiParameters(types, values)]);
  }
  switch (kind) {
    case 'noToken':
    case 'fakeTransfer':
    case 'fakeErc721':
    case 'factoryCreate':
    case 'factoryCreate2':
      return bytecode;
    case 'honest':
    case 'ruggable':
    case 'hiddenMint':
    case 'factoryConstructor':
    case 'hugeName':
    case 'controlName':
    case 'revertingName':
    case 'bytes32Name': {
      const values = [text.name, text.symbol, text.supply, holder] as const;
      return concatHex([bytecode, encodeAbiParameters(TEXT_ARGUMENTS, values)]);
    }
  }
};

/** The call that makes a deployed factory make its token; undefined for the other kinds. */
export const encodeFactoryCall = (kind: TokenKind, text: TokenText): Hex | undefined => {
  const { name, symbol, supply } = text;
  if (kind === 'factoryCreate') {
    return encodeFunctionData({
      abi: DEVNET_ABI,
      functionName: 'make',
      args: [name, symbol, supply],
    });
  }
  if (kind === 'factoryCreate2') {
    const salt = pad(toHex(2), { size: 32 });
    const args = [name, symbol, supply, salt] as const;
    return encodeFunctionData({ abi: DEVNET_ABI, functionName: 'make2', args });
  }
  return undefined;
};
