import { type Change, changeOf } from './changes.ts';
import type { Expression } from './expressions.ts';
import { decisionsOf, type Path, type StorageWrite } from './paths.ts';
import { type Place, partsOf, placeOf } from './places.ts';
import { isSender } from './privilege.ts';
import { storageRead, type TokenStorage } from './token.ts';

/** Whose balance changes: the caller's own, one that the call names, the contract's, or one that it knows. */
export type Owner = 'caller' | 'named' | 'contract' | 'known';

/** A write to a mapping under an account. */
export interface AccountChange {
  readonly place: Place;
  readonly account: Expression;
  readonly owner: Owner;
  readonly change: Change;
  readonly write: StorageWrite;
}

const comesWithCall = (one: Expression): boolean =>
  partsOf(one).some(({ operator }) => operator === 'calldata' || operator.startsWith('copied'));

/** Whether the path has found an account to be the caller. */
const isFoundCaller = (path: Path, account: Expression): boolean =>
  decisionsOf(path).some(
    ({ test, is }) =>
      is &&
      test.operator === 'eq' &&
      test.operands.includes(account) &&
      test.operands.some(isSender),
  );

export const ownerOf = (path: Path, account: Expression): Owner => {
  if (isSender(account) || isFoundCaller(path, account)) return 'caller';
  if (account.operator === 'self') return 'contract';
  return comesWithCall(account) ? 'named' : 'known';
};

/** What a path does to mappings under accounts that pass the test on their names. */
export const accountChanges = (path: Path, isWanted: (place: Place) => boolean): AccountChange[] =>
  path.writes.flatMap((write) => {
    const place = placeOf(write.slot);
    const account = place.keys[0];
    if (!account || !isWanted(place)) return [];
    const change = changeOf(write);
    if (change.kind === 'same') return [];
    return [{ place, account, owner: ownerOf(path, account), change, write }];
  });

/** Whether a path looks at, or uses up, what an account has permitted. */
export const hasPermission = (
  path: Path,
  account: Expression,
  { allowances }: TokenStorage,
): boolean => {
  const names = partsOf(account).filter(({ value }) => value === undefined);
  const isPermission = (one: Expression): boolean => {
    if (one.operator !== 'sload') return false;
    const { name, keys } = storageRead(one);
    const isOwn = keys.some((key) => names.includes(key));
    return isOwn && (allowances.has(name) || (keys.length > 1 && keys.some(isSender)));
  };
  return (
    decisionsOf(path).some(({ test }) => partsOf(test).some(isPermission)) ||
    path.writes.some(({ value }) => partsOf(value).some(isPermission))
  );
};

/** Whether a signature is recovered on the way: the precompiled contract at address 1. */
export const checksSignature = ({ calls }: Path): boolean =>
  calls.some(({ to }) => to.value === 1n);
