import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  concatHex,
  createPublicClient,
  defineChain,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  type RpcTransactionReceipt,
  toHex,
} from 'viem';
import { HDKey, hdKeyToAccount } from 'viem/accounts';
import { DEVNET_MNEMONIC } from './devnetAddresses.ts';

/**
 * Holds back the parts of a batch after they have sent their transactions and before they ask for
 * receipts, so that the block between the two can be mined once for all.
 */
const createBatchGate = () => {
  let arrivals = 0;
  let onArrival = (): void => undefined;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });

  const arrive = async (): Promise<void> => {
    arrivals += 1;
    onArrival();
    await opened;
  };

  /** Resolves when every part waits at the gate, or rejects as soon as one part has failed. */
  const allArrived = async (parts: readonly Promise<unknown>[]): Promise<void> => {
    const complete = new Promise<void>((resolve) => {
      onArrival = () => {
        if (arrivals >= parts.length) resolve();
      };
    });
    onArrival();
    await Promise.race([complete, failureOf(parts)]);
  };

  return { arrive, allArrived, open };
};

/** Never resolves: it only carries the first rejection. */
const failureOf = async (parts: readonly Promise<unknown>[]): Promise<never> => {
  await Promise.all(parts);
  return new Promise<never>(() => undefined);
};

/** A transaction to make. `from` is an account index; without `to` it creates a contract. */
export type DevnetCall = { from: number; to?: Address; data?: Hex; value?: bigint; gas?: bigint };

const GAS_DEFAULT = 500_000n;
const MAX_FEE_PER_GAS = 20_000_000_000n;
const PRIORITY_FEE_PER_GAS = 1_000_000_000n;

/** Addresses of the default mnemonic by index, in lower case. Each is derived once, as that takes a while. */
const createAddresses = (): ((index: number) => Address) => {
  // The seed of the mnemonic (BIP-39). Node's own function takes a millisecond, viem's fifty for each account.
  const key = HDKey.fromMasterSeed(pbkdf2Sync(DEVNET_MNEMONIC, 'mnemonic', 2_048, 64, 'sha512'));
  const derived = new Map<number, Address>();
  return (index) => {
    const known =
      derived.get(index) ?? lowerCase(hdKeyToAccount(key, { addressIndex: index }).address);
    derived.set(index, known);
    return known;
  };
};

/** A mined transaction. A reverted one is an answer, not an error. */
export type DevnetTransaction = {
  hash: Hex;
  status: 'success' | 'reverted';
  blockNumber: number;
  gasUsed: bigint;
  /** Lower case; only when the transaction created a contract. */
  contractAddress: Address | undefined;
  logs: { address: Address; topics: Hex[]; data: Hex }[];
  /** When this process saw the receipt, milliseconds since 1970. */
  seenAtMs: number;
};

const lowerCase = (address: Address): Address => address.toLowerCase() as Address;

const transactionOf = (receipt: RpcTransactionReceipt): DevnetTransaction => ({
  hash: receipt.transactionHash,
  status: receipt.status === '0x1' ? 'success' : 'reverted',
  blockNumber: Number(receipt.blockNumber),
  gasUsed: BigInt(receipt.gasUsed),
  contractAddress: receipt.contractAddress ? lowerCase(receipt.contractAddress) : undefined,
  logs: receipt.logs.map(({ address, topics, data }) => ({
    address: lowerCase(address),
    topics,
    data,
  })),
  seenAtMs: Date.now(),
});

type Dependencies = { address: (index: number) => Address; request: Request };

/** Sends transactions: each into a block of its own, or several into one as a batch. */
const createSender = ({ address, request }: Dependencies) => {
  let gate: ReturnType<typeof createBatchGate> | undefined;
  let submissions: Promise<unknown> | undefined;

  const submit = async (calls: readonly DevnetCall[]): Promise<RpcTransactionReceipt[] | Hex[]> => {
    const method = gate ? 'eth_sendTransaction' : 'eth_sendTransactionSync';
    const sent: unknown[] = [];
    for (const { from, to, data, value = 0n, gas = GAS_DEFAULT } of calls) {
      // The gas is fixed, so that one that reverts gets mined too.
      const amounts = { value: toHex(value), gas: toHex(gas) };
      const fees = {
        maxFeePerGas: toHex(MAX_FEE_PER_GAS),
        maxPriorityFeePerGas: toHex(PRIORITY_FEE_PER_GAS),
      };
      sent.push(await request(method, [{ from: address(from), to, data, ...amounts, ...fees }]));
    }
    return sent as RpcTransactionReceipt[] | Hex[];
  };
  const receiptOf = (sent: RpcTransactionReceipt | Hex): unknown =>
    typeof sent === 'string' ? request('eth_getTransactionReceipt', [sent]) : sent;

  return {
    /** Sends the calls in order and waits until all are mined. */
    transact: async (calls: readonly DevnetCall[]): Promise<DevnetTransaction[]> => {
      // The node signs for nobody then: to sign here would take most of a test's time.
      submissions ??= request('anvil_autoImpersonateAccount', [true]);
      // One submission at a time, in the order they were started.
      const submission = submissions.then(() => submit(calls));
      submissions = submission.catch(() => undefined);
      const sent = await submission;
      await gate?.arrive();
      const receipts = await Promise.all(sent.map(receiptOf));
      return (receipts as RpcTransactionReceipt[]).map(transactionOf);
    },
    /**
     * Mines the transactions of several verbs in one block, in the order they were started. A verb
     * of a batch must send all its transactions at once.
     */
    batch: async <T>(start: () => Promise<T>[]): Promise<T[]> => {
      assert(gate === undefined, 'batches do not nest');
      await request('evm_setAutomine', [false]);
      const opened = createBatchGate();
      gate = opened;
      try {
        const parts = start();
        await opened.allArrived(parts);
        // A request of its own: inside one JSON-RPC batch it may overtake the transactions.
        await request('evm_mine', []);
        opened.open();
        return await Promise.all(parts);
      } finally {
        gate = undefined;
        opened.open();
        await request('evm_setAutomine', [true]);
      }
    },
  };
};

type Request = (method: string, params: unknown[]) => Promise<unknown>;

export type DevnetNode = ReturnType<typeof createDevnetNode>;

const REQUEST_TIMEOUT_MS = 60_000;
const CHAIN_ID = 31_337;
const ADDRESS_BYTES = 20;

/**
 * Replaces blocks by others. A new miner sees to it that they are others: anvil may mine an empty
 * block again as it was, with the same hash, and a reorg of 80 blocks would be one of four.
 */
const replaceBlocks = async (
  { publicClient, request }: { publicClient: PublicClient; request: Request },
  depth: number,
): Promise<void> => {
  const head = await publicClient.getBlockNumber({ cacheTime: 0 });
  const firstHash = async (): Promise<Hex> =>
    (await publicClient.getBlock({ blockNumber: head - BigInt(depth - 1) })).hash;
  const replaced = await firstHash();
  await request('anvil_setCoinbase', [toHex(randomBytes(ADDRESS_BYTES))]);
  await request('anvil_reorg', [depth, []]);
  assert.notEqual(await firstHash(), replaced, 'a reorg is as deep as it was asked to be');
};

/** Drives one anvil by its JSON-RPC: transactions of anyone, blocks on demand, time, real reorgs. */
export const createDevnetNode = ({
  url,
  chainId = CHAIN_ID,
}: {
  url: string;
  chainId?: number;
}) => {
  const chain = defineChain({
    id: chainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url, { timeout: REQUEST_TIMEOUT_MS, retryCount: 0 });
  const publicClient: PublicClient = createPublicClient({ chain, transport });
  const address = createAddresses();

  // The methods of anvil are not among those viem knows the types of.
  const request: Request = async (method, params) =>
    publicClient.transport.request({ method, params });

  return {
    publicClient,
    address,
    ...createSender({ address, request }),
    /** Replaces the last `depth` blocks, all of them, by others; their transactions are lost. */
    reorg: async (depth: number): Promise<void> => {
      assert(depth >= 1, 'a reorg replaces at least one block');
      const head = await publicClient.getBlockNumber({ cacheTime: 0 });
      assert(head >= BigInt(depth), 'a reorg cannot replace the genesis block');
      await replaceBlocks({ publicClient, request }, depth);
    },
    /** Mines `blocks` empty blocks, `intervalSeconds` apart. */
    mine: async (blocks: number, intervalSeconds = 12): Promise<void> => {
      assert(blocks >= 1, 'mine at least one block');
      await request('anvil_mine', [toHex(blocks), toHex(intervalSeconds)]);
    },
    /** Sets the clock of the chain, seconds since 1970; the next block shows it, even where it is earlier. */
    setTime: (seconds: number): Promise<unknown> => request('evm_setTime', [seconds]),
    /** Moves the clock of the chain forward; the next block shows it. */
    increaseTime: async (seconds: number): Promise<void> => {
      await request('evm_increaseTime', [seconds]);
    },
    /** Sets the ETH balance of an account out of nothing: no transaction, no log. */
    setBalance: async (of: Address, wei: bigint): Promise<void> => {
      await request('anvil_setBalance', [of, toHex(wei)]);
    },
    /** Sets who makes the blocks from now on; before, nobody. */
    setMiner: async (miner: Address): Promise<void> => {
      await request('anvil_setCoinbase', [miner]);
    },
  };
};

/** Sends the calls in order and answers the last; throws when one of them reverts. */
export const mustSucceed = async (
  node: Pick<DevnetNode, 'transact'>,
  calls: readonly DevnetCall[],
): Promise<DevnetTransaction> => {
  const transactions = await node.transact(calls);
  for (const { status, hash } of transactions) {
    assert.equal(status, 'success', `transaction ${hash} reverted`);
  }
  return lastOf(transactions);
};

/** Sends calls of functions of an ABI. Throws when one reverts. */
export const createSend =
  <const A extends Abi>(node: Pick<DevnetNode, 'transact'>, abi: A, gas = GAS_DEFAULT) =>
  <Name extends ContractFunctionName<A>>(
    from: number,
    to: Address,
    functionName: Name,
    args: ContractFunctionArgs<A, 'nonpayable' | 'payable', Name>,
    value = 0n,
  ): Promise<DevnetTransaction> => {
    const data = encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters);
    return mustSucceed(node, [{ from, to, data, value, gas }]);
  };

const CREATION_GAS = 12_000_000n;

/** Creates a contract whose constructor takes addresses. Throws when that reverts. @returns its address, lower case */
export const createContract = async (
  node: Pick<DevnetNode, 'transact'>,
  from: number,
  bytecode: Hex,
  args: readonly Address[] = [],
): Promise<Address> => {
  const types = args.map(() => ({ type: 'address' }));
  const data = concatHex([bytecode, encodeAbiParameters(types, args)]);
  const { contractAddress } = await mustSucceed(node, [{ from, data, gas: CREATION_GAS }]);
  assert(contractAddress !== undefined, 'the transaction creates a contract');
  return contractAddress;
};

/** The last of the transactions one verb made: the one the verb is about. */
export const lastOf = (transactions: readonly DevnetTransaction[]): DevnetTransaction => {
  const last = transactions.at(-1);
  assert(last !== undefined, 'a verb makes at least one transaction');
  return last;
};
