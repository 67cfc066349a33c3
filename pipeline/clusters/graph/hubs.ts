import type { Hex } from '../../../shared/chain/block.ts';
import { isMoney } from './edgeKinds.ts';
import { type EdgeTable, NO_EDGE, NO_WALLET } from './edgeTable.ts';
import { createMarker } from './marker.ts';
import type { WalletTable } from './walletTable.ts';

/** Counterparties from which a wallet is a service whatever it does; dim_wallets says the same. */
const HUB_COUNTERPARTIES_MIN = 1_000;
/** Money edges from which a wallet is a service without its counterparties being told apart. */
const HUB_EDGES_MIN = 20_000;
const UNKNOWN = 0;
const NO = 1;
const YES = 2;
const LISTED = 3;

/** Which wallets are services: by list, or by the number of their counterparties. Cached a wallet. */
export const createHubs = (edges: EdgeTable, wallets: WalletTable, listed: Iterable<Hex>) => {
  const state = new Uint8Array(wallets.capacity);
  const seen = createMarker(wallets.capacity);
  for (const address of listed) {
    const wallet = wallets.intern(address);
    if (wallet !== NO_WALLET) state[wallet] = LISTED;
  }
  const isManyHanded = (wallet: number): boolean => {
    const { outs, ins, kind } = edges;
    const count = (outs.count[wallet] as number) + (ins.count[wallet] as number);
    if (count < HUB_COUNTERPARTIES_MIN || count >= HUB_EDGES_MIN) return count >= HUB_EDGES_MIN;
    seen.clear();
    let distinct = 0;
    for (let e = outs.head[wallet] as number; e !== NO_EDGE; e = outs.next[e] as number) {
      if (isMoney(kind[e] as number) && seen.add(edges.to[e] as number)) distinct += 1;
    }
    for (let e = ins.head[wallet] as number; e !== NO_EDGE; e = ins.next[e] as number) {
      if (isMoney(kind[e] as number) && seen.add(edges.from[e] as number)) distinct += 1;
    }
    return distinct >= HUB_COUNTERPARTIES_MIN;
  };
  return {
    bytes: wallets.capacity * 5,
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
