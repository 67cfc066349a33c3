import assert from 'node:assert/strict';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Abi,
  type Address,
  type Chain,
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

/** The seed of the mnemonic (BIP-39). Node's own function takes a millisecond, viem's fifty for each account. */
const devnetKey = (): HDKey =>
  HDKey.fromMasterSeed(pbkdf2Sync(DEVNET_MNEMONIC, 'mnemonic', 2_048, 64, 'sha512'));

/** The accounts of the default mnemonic by index. Each is derived once, as that takes a while. */
const createDevnetAccounts = (chain: Chain) => {
  const key = devnetKey();
  const derived = new Map<number, ReturnType<typeof hdKeyToAccount>>();

  const account = (index: number) => {
    const known = derived.get(index) ?? hdKeyToAccount(key, { addressIndex: index });
    derived.set(index, known);
    return known;
  };

  return {
    /** Lower case. */
    address: (index: number): Address => account(index).address.toLowerCase() as Address,
    /** The raw signed transaction. The gas is fixed, so that one that reverts gets mined too. */
    sign: async (call: DevnetCall, nonce: number): Promise<Hex> =>
      account(call.from).signTransaction({
        type: 'eip1559',
        chainId: chain.id,
        nonce,
        gas: call.gas ?? GAS_DEFAULT,
        maxFeePerGas: MAX_FEE_PER_GAS,
        maxPriorityFeePerGas: PRIORITY_FEE_PER_GAS,
        value: call.value ?? 0n,
        ...(call.to === undefined ? {} : { to: call.to }),
        ...(call.data === undefined ? {} : { data: call.data }),
      }),
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

const RECEIPT_TIMEOUT_MS = 90_000;
const RECEIPT_POLL_MS = 5;

/**
 * Polls for the receipt. Not viem's function of this kind: it watches blocks at its own pace.
 * @throws Error when the transaction is not mined in time
 */
const waitForReceipt = async (client: PublicClient, hash: Hex): Promise<DevnetTransaction> => {
  const deadlineMs = Date.now() + RECEIPT_TIMEOUT_MS;
  while (Date.now() < deadlineMs) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (receipt === null) {
      await delay(RECEIPT_POLL_MS);
      continue;
    }
    return {
      hash,
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
    };
  }
  throw new Error(`transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS} ms`);
};

const lowerCase = (address: Address): Address => address.toLowerCase() as Address;

type Dependencies = {
  publicClient: PublicClient;
  accounts: Pick<ReturnType<typeof createDevnetAccounts>, 'address' | 'sign'>;
  request: (method: string, params: unknown[]) => Promise<unknown>;
};

/** Sends transactions: each into a block of its own, or several into one as a batch. */
const createSender = ({ publicClient, accounts, request }: Dependencies) => {
  let gate: ReturnType<typeof createBatchGate> | undefined;
  let submissions: Promise<unknown> = Promise.resolve();

  const submit = async (calls: readonly DevnetCall[]): Promise<Hex[]> => {
    const hashes: Hex[] = [];
    for (const call of calls) {
      const address = accounts.address(call.from);
      const nonce = await publicClient.getTransactionCount({ address, blockTag: 'pending' });
      const serializedTransaction = await accounts.sign(call, nonce);
      hashes.push(await publicClient.sendRawTransaction({ serializedTransaction }));
    }
    return hashes;
  };

  return {
    /** Sends the calls in order and waits until all are mined. */
    transact: async (calls: readonly DevnetCall[]): Promise<DevnetTransaction[]> => {
      // One submission at a time: two of one account would ask for the same nonce.
      const submission = submissions.then(async () => submit(calls));
      submissions = submission.catch(() => undefined);
      const hashes = await submission;
      await gate?.arrive();
      return Promise.all(hashes.map(async (hash) => waitForReceipt(publicClient, hash)));
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

/** Drives one anvil by its JSON-RPC: signed transactions, blocks on demand, time, real reorgs. */
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
  const accounts = createDevnetAccounts(chain);

  // The methods of anvil are not among those viem knows the types of.
  const request: Request = async (method, params) =>
    publicClient.transport.request({ method, params });

  return {
    publicClient,
    address: accounts.address,
    ...createSender({ publicClient, accounts, request }),
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
