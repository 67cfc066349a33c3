import assert from 'node:assert/strict';
import { type Address, encodeEventTopics, encodeFunctionData, type Hex, parseEther } from 'viem';
import type { Bytecodes } from './compileContracts.ts';
import type { DevnetNode } from './createDevnetNode.ts';
import {
  CONTROL_NAME,
  CONTROL_SYMBOL,
  encodeDeployment,
  encodeFactoryCall,
  type TokenKind,
} from './tokenKinds.ts';
import { lastOf, mustSucceed } from './transactions.ts';
import { DEVNET_ABI } from './uniswapArtifacts.ts';
import type { DevnetTransaction } from './waitForReceipt.ts';

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
export const createDeployVerb = ({ node, bytecodes }: Dependencies) => ({
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

/** What a creator does to its token. All but `transfer` throw when the transaction reverts. */
export const createTokenVerbs = ({ node }: Pick<Dependencies, 'node'>) => {
  const asCreator = async (token: DevnetToken, data: Hex): Promise<DevnetTransaction> =>
    mustSucceed(node, [{ from: token.creator, to: token.address, data }]);

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
    transferOwnership: async (token: DevnetToken, to: Address): Promise<DevnetTransaction> =>
      asCreator(
        token,
        encodeFunctionData({ abi: DEVNET_ABI, functionName: 'transferOwnership', args: [to] }),
      ),
    /** Changes the sale tax of a `tax` token, which starts at 25 per cent. */
    setSellTax: async (token: DevnetToken, percent: number): Promise<DevnetTransaction> => {
      const args = [BigInt(percent)] as const;
      const call = { abi: DEVNET_ABI, functionName: 'setMarketing', args } as const;
      return asCreator(token, encodeFunctionData(call));
    },
    /** The owner of a `hiddenMint` token mints `amount` base units to an account. */
    mintHidden: async (
      token: DevnetToken,
      to: Address,
      amount: bigint,
    ): Promise<DevnetTransaction> => {
      const args = [to, amount] as const;
      const call = { abi: DEVNET_ABI, functionName: 'syncRewards', args } as const;
      return asCreator(token, encodeFunctionData(call));
    },
    /** Makes a `fakeTransfer` or `fakeErc721` contract emit a Transfer that moves nothing. */
    emitTransfer: async (
      token: DevnetToken,
      from: Address,
      to: Address,
      value: bigint,
    ): Promise<DevnetTransaction> => {
      const args = [from, to, value] as const;
      const call = { abi: DEVNET_ABI, functionName: 'emitTransfer', args } as const;
      return asCreator(token, encodeFunctionData(call));
    },
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
