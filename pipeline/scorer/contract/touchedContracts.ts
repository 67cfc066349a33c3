import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { poolHolder } from '../pool/poolKind.ts';
import { encodeCall, quantity } from '../simulation/evmCode.ts';
import { resultOf } from '../simulation/readOutcomes.ts';
import { SELECTOR } from '../simulation/simulateParams.ts';
import { randomAddress, tryNow } from '../simulation/simulatingNode.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { ContractSubject } from './contractProfile.ts';
import { isWord } from './contractState.ts';

type Pooled = Pick<ContractSubject, 'token' | 'pool'>;

/** Gas of a transfer. */
const TRANSFER_GAS = 3_000_000n;

const accessSchema = z.object({ accessList: z.array(z.object({ address: addressSchema })) });

/**
 * Contracts that the token calls when somebody transfers to the pool, or the pool to somebody: a new account
 * transfers nothing, since it has nothing, and the pool the smallest amount. Empty if the node cannot tell.
 */
export const readTouched = async (node: ChainNode, { token, pool }: Pooled): Promise<Hex[]> => {
  if (!pool) return [];
  const [stranger, holder] = [randomAddress(), poolHolder(pool)];
  const transfers = [
    { from: stranger, data: encodeCall(SELECTOR.transfer, holder, 0n) },
    { from: holder, data: encodeCall(SELECTOR.transfer, stranger, 1n) },
  ];
  const outcomes = await node.batch(
    transfers.map((transfer) => ({
      method: 'eth_createAccessList',
      params: [{ ...transfer, to: token, gas: quantity(TRANSFER_GAS) }, 'latest'],
    })),
  );
  const touched = outcomes.flatMap((outcome) => {
    const { data } = accessSchema.safeParse(resultOf(outcome));
    return data?.accessList.map(({ address }) => address) ?? [];
  });
  return [...new Set(touched)].filter((one) => one !== token);
};

/** Those contracts that may take the pool's tokens. */
export const readPoolSpenders = async (
  node: ChainNode,
  { token, pool }: Pooled,
  contracts: readonly Hex[],
): Promise<Hex[]> => {
  if (!pool || contracts.length === 0) return [];
  const holder = poolHolder(pool);
  const outcomes = await tryNow(
    (calls) => node.batch(calls),
    token,
    contracts.map((spender) => ({
      from: spender,
      data: encodeCall(SELECTOR.allowance, holder, spender),
    })),
  );
  return contracts.filter((_contract, i) => {
    const allowed = resultOf(outcomes[i]);
    return isWord(allowed) && BigInt(allowed) > 0n;
  });
};
