import assert from 'node:assert/strict';
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  pad,
  parseAbiParameters,
  parseEther,
  toHex,
} from 'viem';
import { type Bytecodes, compileContracts } from './compileContracts.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';
import {
  createContract,
  createDevnetNode,
  createSend,
  type DevnetNode,
  type DevnetTransaction,
  lastOf,
  mustSucceed,
} from './devnetNode.ts';
import {
  createLiquidityVerbs,
  createPoolReads,
  createTradeVerbs,
  DEVNET_ABI,
  deployUniswap,
} from './uniswap.ts';

/**
 * The zoo. Frauds: `honeypot` (sales revert), `tax` (25 % of a sale), `hiddenMint`, `ruggable` (an
 * ordinary token whose creator pulls the pool). Made by contracts: `factoryCreate`,
 * `factoryCreate2`, `factoryConstructor`. Hostile: the rest. More of the honest and of the frauds are
 * in `contracts/zoo`, each known by the name of its contract; all of those take the struct `Birth` of `PairedErc20.sol`.
 */
export type TokenKind = PlainKind | `${string}Token`;
type PlainKind = keyof typeof CONTRACT_OF;

/** What a new token says about itself. `supply` is in base units of 18 decimals. */
type TokenText = { name: string; symbol: string; supply: bigint };

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
} as const;

const isPlain = (kind: TokenKind): kind is PlainKind => kind in CONTRACT_OF;

/** A name that attacks terminals, log files, table layouts and web pages at once. */
const CONTROL_NAME = `Evil\u0000\u001b[31m\r\n\u202egnp.exe\u2066<img src=x onerror=alert(1)>${'\u0336'.repeat(40)}`;
/** Looks like USDC: zero-width space, Cyrillic letters, a bidi mark and a tag to close. */
const CONTROL_SYMBOL = `US\u200bD\u0421\u200f"'><script>`;

const WITHOUT_ARGUMENTS: ReadonlySet<PlainKind> = new Set([
  'noToken',
  'fakeTransfer',
  'fakeErc721',
  'factoryCreate',
  'factoryCreate2',
]);
const TEXT_ARGUMENTS = parseAbiParameters('string, string, uint256, address');
/** The struct `Birth` of `PairedErc20.sol`. */
const BIRTH_ARGUMENT = parseAbiParameters('(string, string, uint256, address, address, address)');

/** The creation code of a token of this kind, its constructor's arguments included. */
const encodeDeployment = (
  bytecodes: Bytecodes,
  kind: TokenKind,
  text: TokenText,
  holder: Hex,
): Hex => {
  const contract = isPlain(kind) ? CONTRACT_OF[kind] : kind;
  const bytecode = bytecodes[contract];
  if (bytecode === undefined) throw new Error(`no bytecode of ${contract}`);
  if (kind === 'honeypot' || kind === 'tax' || !isPlain(kind)) {
    const { factory, weth } = DEVNET_ADDRESSES;
    const birth = [text.name, text.symbol, text.supply, holder, factory, weth] as const;
    return concatHex([bytecode, encodeAbiParameters(BIRTH_ARGUMENT, [birth])]);
  }
  if (WITHOUT_ARGUMENTS.has(kind)) return bytecode;
  const values = [text.name, text.symbol, text.supply, holder] as const;
  return concatHex([bytecode, encodeAbiParameters(TEXT_ARGUMENTS, values)]);
};

/** The call that makes a deployed factory make its token; undefined for the other kinds. */
const encodeFactoryCall = (kind: TokenKind, text: TokenText): Hex | undefined => {
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

/** A deployed token, or the contract that pretends to be one. `creator` is an account index. */
export type DevnetToken = {
  kind: TokenKind;
  address: Address;
  creator: number;
  name: string;
  symbol: string;
  deployment: DevnetTransaction;
};

/** `creator` is an account index; `supply` is in whole tokens of 18 decimals. */
export type TokenOptions = { creator?: number; name?: string; symbol?: string; supply?: number };

type Dependencies = { node: DevnetNode; bytecodes: Bytecodes };

const DEPLOY_GAS = 6_000_000n;
const SUPPLY_DEFAULT = 1_000_000;
const SYMBOL_LENGTH_MAX = 11;

/** Makes tokens. A kind made by a factory takes two steps, so it cannot be part of a batch. */
const createDeployVerb = ({ node, bytecodes }: Dependencies) => ({
  deployToken: async (kind: TokenKind, options: TokenOptions = {}): Promise<DevnetToken> => {
    const { creator = 0, supply = SUPPLY_DEFAULT } = options;
    const { name, symbol } = { ...defaultText(kind), ...options };
    const text = { name, symbol, supply: parseEther(String(supply)) };
    const data = encodeDeployment(bytecodes, kind, text, node.address(creator));
    let deployment = await mustSucceed(node, [{ from: creator, data, gas: DEPLOY_GAS }]);
    let address = tokenMadeBy(deployment) ?? deployment.contractAddress;
    assert(address !== undefined, 'a deployment creates a contract');
    const factoryCall = encodeFactoryCall(kind, text);
    if (factoryCall !== undefined) {
      const call = { from: creator, to: address, data: factoryCall, gas: DEPLOY_GAS };
      deployment = await mustSucceed(node, [call]);
      address = tokenMadeBy(deployment);
      assert(address !== undefined, 'a factory names the token it made');
    }
    return { kind, address, creator, name, symbol, deployment };
  },
});

/** Contracts that lock, or say so: see `Lockers.sol`. */
export type LockerKind =
  | 'HonestLocker'
  | 'OpenLocker'
  | 'EmergencyLocker'
  | 'SwitchLocker'
  | 'ShortLocker'
  | 'SupplyLocker'
  | 'EmptyLocker'
  | 'PositionLocker'
  | 'OpenPositionLocker';

/** Makes lockers. */
const createLockerVerb = ({ node, bytecodes }: Dependencies) => ({
  deployLocker: (kind: LockerKind, from: number): Promise<Address> => {
    const code = bytecodes[kind];
    assert(code !== undefined, `no bytecode of ${kind}`);
    return createContract(node, from, code);
  },
});

/** What a creator does to its token. All but `transfer` throw when the transaction reverts. */
const createTokenVerbs = ({ node }: Pick<Dependencies, 'node'>) => {
  const send = createSend(node, DEVNET_ABI);

  return {
    /** Account `from` sends `amount` base units. A revert is reported as the status. */
    transfer: async (
      token: Address,
      from: number,
      to: Address,
      amount: bigint,
    ): Promise<DevnetTransaction> => {
      const args = [to, amount] as const;
      const data = encodeFunctionData({ abi: DEVNET_ABI, functionName: 'transfer', args });
      return lastOf(await node.transact([{ from, to: token, data }]));
    },
    transferOwnership: (token: DevnetToken, to: Address): Promise<DevnetTransaction> =>
      send(token.creator, token.address, 'transferOwnership', [to]),
    /** The owner of a `hiddenMint` token mints `amount` base units to an account. */
    mintHidden: (token: DevnetToken, to: Address, amount: bigint): Promise<DevnetTransaction> =>
      send(token.creator, token.address, 'syncRewards', [to, amount]),
    /** Makes a `fakeTransfer` or `fakeErc721` contract emit a Transfer that moves nothing. */
    emitTransfer: (
      token: DevnetToken,
      from: Address,
      to: Address,
      value: bigint,
    ): Promise<DevnetTransaction> =>
      send(token.creator, token.address, 'emitTransfer', [from, to, value]),
  };
};

const defaultText = (kind: TokenKind): { name: string; symbol: string } =>
  kind === 'controlName'
    ? { name: CONTROL_NAME, symbol: CONTROL_SYMBOL }
    : { name: `Zoo ${kind}`, symbol: kind.slice(0, SYMBOL_LENGTH_MAX).toUpperCase() };

const tokenMadeBy = (deployment: DevnetTransaction): Address | undefined => {
  const [topic] = encodeEventTopics({ abi: DEVNET_ABI, eventName: 'TokenMade' });
  const made = deployment.logs.find((log) => log.topics[0] === topic);
  return made === undefined ? undefined : `0x${made.data.slice(-40)}`;
};

export type Devnet = Awaited<ReturnType<typeof createDevnet>>;

/**
 * A chain to play on: a token's life as verbs, made real by the anvil at `url`. Accounts are
 * indices into the default mnemonic; 0 to 9 hold ETH, others get some by `setBalance`. Set-up verbs
 * throw when their transaction reverts; `buy`, `sell` and `transfer` report it as the status,
 * because a sale that reverts is what one wants to see. Tokens of `contracts/zoo` need `zoo`.
 */
export const createDevnet = async ({
  url,
  chainId,
  zoo = false,
}: {
  url: string;
  chainId?: number;
  zoo?: boolean;
}) => {
  const node = createDevnetNode({ url, ...(chainId !== undefined && { chainId }) });
  const reads = createPoolReads(node);
  const bytecodes = await compileContracts({ zoo });
  return {
    ...node,
    ...reads,
    ...createDeployVerb({ node, bytecodes }),
    ...createLockerVerb({ node, bytecodes }),
    ...createTokenVerbs({ node }),
    ...createLiquidityVerbs({ node, reads }),
    ...createTradeVerbs({ node, reads }),
    /** Deploys Uniswap V2 and the WETH/dollar pool, unless the chain has them already. */
    deployUniswap: async (): Promise<void> => deployUniswap({ node, bytecodes }),
  };
};
