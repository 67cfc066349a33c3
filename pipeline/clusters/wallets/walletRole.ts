import type { GraphKind } from '../facts/graphFact.ts';
import type { MovementSum, WalletRecord } from './walletRecord.ts';

/** Roles of wallets, as the API names them. */
export type WalletRole =
  | 'master'
  | 'creator'
  | 'funder'
  | 'puppet'
  | 'sniper'
  | 'liquidity_provider'
  | 'victim'
  | 'trader'
  | 'holder'
  | 'unknown';

/** Launches at which a wallet bought from which on it is a sniper. */
const SNIPES_MIN = 2;

const outgoing = ({ movements }: WalletRecord, kind: GraphKind): MovementSum[] =>
  movements.filter((each) => each.direction === 'out' && each.kind === kind);

/** Tokens the wallet bought in the very block in which they got their first liquidity. */
export const snipesOf = (record: WalletRecord): MovementSum[] =>
  outgoing(record, 'bought').filter(
    ({ other, firstBlock }) => record.launchBlocks.get(other) === firstBlock,
  );

/** Tokens whose liquidity left while the wallet had paid more for them than it got back. */
export const lossesOf = (record: WalletRecord): MovementSum[] => {
  const sold = new Map(outgoing(record, 'sold').map(({ other, value }) => [other, value]));
  return outgoing(record, 'bought').filter(
    ({ other, value }) => record.drained.has(other) && value > (sold.get(other) ?? 0),
  );
};

const fundsCreator = (record: WalletRecord): boolean =>
  outgoing(record, 'native').some(({ other }) => record.creators.has(other));

/**
 * What a wallet is, the first that holds: the master of its ring; the creator of a token; of its ring a
 * funder (first money of two wallets of the ring) or a puppet; a funder of creators; a sniper (bought two
 * tokens or more in the block of their first liquidity); a liquidity provider; a victim (paid more than it
 * got back for a token whose liquidity left); a trader; a holder of tokens it was given; unknown. Hubs
 * are nobody's.
 */
export const walletRole = (record: WalletRecord): WalletRole => {
  const { ring, made, isHub } = record;
  if (isHub) return 'unknown';
  if (ring?.role === 'master') return 'master';
  if (made.length > 0) return 'creator';
  if (ring) return ring.role === 'funder' ? 'funder' : 'puppet';
  if (fundsCreator(record)) return 'funder';
  if (snipesOf(record).length >= SNIPES_MIN) return 'sniper';
  const liquidity = [...outgoing(record, 'lpAdded'), ...outgoing(record, 'lpRemoved')];
  if (liquidity.length > 0) return 'liquidity_provider';
  if (lossesOf(record).length > 0) return 'victim';
  if (outgoing(record, 'bought').length + outgoing(record, 'sold').length > 0) return 'trader';
  const isGiven = record.movements.some(
    ({ direction, kind }) => direction === 'in' && kind === 'token',
  );
  return isGiven ? 'holder' : 'unknown';
};
