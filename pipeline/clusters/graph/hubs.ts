import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { type EdgeTable, isMoney, NO_EDGE, NO_WALLET } from './edgeTable.ts';
import { reserve } from './reserve.ts';
import type { WalletTable } from './walletTable.ts';

/** Counterparties from which a wallet is a service whatever it does; the same as in dim_wallets. */
const HUB_COUNTERPARTIES_MIN = 1_000;
/** Money edges from which a wallet is a service, without counting distinct counterparties. */
const HUB_EDGES_MIN = 20_000;
const UNKNOWN = 0;
const NO = 1;
const YES = 2;
const LISTED = 3;

/** Which wallets are services: by list, or by the number of their counterparties. Cached per wallet. */
export const createHubs = (edges: EdgeTable, wallets: WalletTable, listed: Iterable<Hex>) => {
  const state = reserve(Uint8Array, wallets.capacity);
  for (const address of listed) {
    const wallet = wallets.intern(address);
    if (wallet !== NO_WALLET) state[wallet] = LISTED;
  }
  const isManyHanded = (wallet: number): boolean => {
    const { outs, ins, kind } = edges;
    const count = (outs.count[wallet] as number) + (ins.count[wallet] as number);
    if (count < HUB_COUNTERPARTIES_MIN || count >= HUB_EDGES_MIN) return count >= HUB_EDGES_MIN;
    const seen = new Set<number>();
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      if (isMoney(kind[e] as number)) seen.add(edges.to[e] as number);
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      if (isMoney(kind[e] as number)) seen.add(edges.from[e] as number);
    }
    return seen.size >= HUB_COUNTERPARTIES_MIN;
  };
  return {
    bytes: wallets.capacity,
    forget: (wallet: number): void => {
      if (state[wallet] !== LISTED) state[wallet] = UNKNOWN;
    },
    isHub: (wallet: number): boolean => {
      if (state[wallet] === UNKNOWN) state[wallet] = isManyHanded(wallet) ? YES : NO;
      return (state[wallet] as number) >= YES;
    },
    count: (): number => {
      let hubs = 0;
      for (let wallet = 0; wallet < wallets.count(); wallet += 1) {
        if ((state[wallet] as number) >= YES) hubs += 1;
      }
      return hubs;
    },
  };
};

/** Burn addresses, on every chain. */
const BURNS: readonly Hex[] = [ZERO_ADDRESS, '0x000000000000000000000000000000000000dead'];

/**
 * Services by chain id, each named by its operator's documentation or by several public lists. Few and certain:
 * services missing here are still recognised by the number of their counterparties.
 */
const SERVICES: Readonly<Record<number, readonly Hex[]>> = {
  1: [
    // Routers: Uniswap (V2, V3, V3 second, universal old and new), SushiSwap, PancakeSwap.
    '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
    '0xe592427a0aece92de3edee1f18e0157c05861564',
    '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
    '0x3fc91a3afd70395cd496c647d5a6cc9d4b2b7fad',
    '0x66a9893cc07d91d95644aedd05d03f95e1dba8af',
    '0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f',
    '0xeff92a263d31888d860bd50809a8d171709b7b1c',
    // Bridges: Arbitrum, Optimism.
    '0x8315177ab297ba92a06054ce80a67ed4dbd7ed3a',
    '0x99c9fc46f92e8a1c0dec1b1747d010903e884be1',
    // Mixers: the Tornado Cash pools of 0.1, 1, 10 and 100 ether, its proxy and its router.
    '0x12d66f87a04a9e220743712ce6d9bb1b5616b8fc',
    '0x47ce0c6ed5b0ce3d3a51fdb1c52dc66a7c3c2936',
    '0x910cbd523d972eb0a6f4cae4618ad62622b39dbf',
    '0xa160cdab225685da1d56aa342ad8841c3b53f291',
    '0x722122df12d4e14e13ac3b6895a86e84145b6967',
    '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b',
    // Exchanges: Binance, Coinbase, Kraken.
    '0x3f5ce5fbfe3e9af3971dd833d26ba9b5c936f0be',
    '0x28c6c06298d514db089934071355e5743bf21d60',
    '0x21a31ee1afc51d94c2efccaa2092ad1028285549',
    '0xdfd5293d8e347dfe59e90efd55b2956a1343963d',
    '0x71660c4005ba85c37ccec55d0c4493e66fe775d3',
    '0x503828976d22510aad0201ac7ec88293211d23da',
    '0x2910543af39aba0cd09dbb2d50200b3e800a63d2',
    '0x267be1c1d684f78cb4f6a176c4911b741e4ffdc0',
  ],
  // Routers of Uniswap V2 and PancakeSwap.
  10: ['0x4a7b5da61326a6379179b40d00f57e5bbdc962c2'],
  56: ['0x10ed43c718714eb63d5aa57b78b54704e256024e', '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
  137: ['0xedf6066a2b290c185783862c7f4776a2c8077ad1'],
  8_453: [
    '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
  ],
  42_161: [
    '0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24',
    '0x8cfe327cec66d1c090dd72bd0ff11d690c33a2eb',
  ],
  43_114: ['0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24'],
};

/**
 * Addresses of a chain that never join a ring nor link one: burn addresses, routers, bridges, mixers, exchanges.
 */
export const knownHubs = (chainId: number): Hex[] => [...BURNS, ...(SERVICES[chainId] ?? [])];
