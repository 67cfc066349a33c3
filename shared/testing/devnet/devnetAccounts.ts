import { type Address, type Chain, createWalletClient, type Hex, type Transport } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { DEVNET_MNEMONIC } from './devnetAddresses.ts';

/** A transaction to make. `from` is an account index; without `to` it creates a contract. */
export type DevnetCall = { from: number; to?: Address; data?: Hex; value?: bigint; gas?: bigint };

const GAS_DEFAULT = 500_000n;
const MAX_FEE_PER_GAS = 20_000_000_000n;
const PRIORITY_FEE_PER_GAS = 1_000_000_000n;

/** The accounts of the default mnemonic by index. Each is derived once, as that takes a while. */
export const createDevnetAccounts = ({
  chain,
  transport,
}: {
  chain: Chain;
  transport: Transport;
}) => {
  const derived = new Map<number, ReturnType<typeof mnemonicToAccount>>();

  const account = (index: number) => {
    const known = derived.get(index) ?? mnemonicToAccount(DEVNET_MNEMONIC, { addressIndex: index });
    derived.set(index, known);
    return known;
  };

  return {
    /** Lower case. */
    address: (index: number): Address => account(index).address.toLowerCase() as Address,
    /** A viem wallet client of the account. */
    wallet: (index: number) => createWalletClient({ account: account(index), chain, transport }),
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
