import { EDGE_KINDS, type EdgeKind } from './facts.ts';

/** The number an edge kind is held as. */
export const kindCode = (kind: EdgeKind): number => EDGE_KINDS.indexOf(kind);

export const NATIVE = kindCode('native');
export const FUNDING = kindCode('funding');
export const PROCEEDS_KIND = kindCode('proceeds');
export const LP_REMOVED = kindCode('lpRemoved');
export const TOKEN_KIND = kindCode('token');
export const BOUGHT = kindCode('bought');
export const SOLD = kindCode('sold');

/** Whether a kind moves native value from wallet to wallet: the first four do. */
export const isMoney = (kind: number): boolean => kind <= LP_REMOVED;
