import { addressOf as address, topicOf as hash } from '../../../shared/testing/evmData.ts';
import type { MadeToken, MovementSum, WalletFacts } from '../wallets/walletFacts.ts';

/** Unix seconds of block 0 of these tests; a block is a second. */
const START_S = 1_700_000_000;

/** A movement in a block. */
export const movement = (
  kind: MovementSum['kind'],
  direction: MovementSum['direction'],
  other: number,
  changes: Partial<MovementSum> & { block?: number } = {},
): MovementSum => {
  const { block = 10, ...rest } = changes;
  return {
    direction,
    kind,
    other: address(other),
    count: 1,
    value: 1,
    firstS: START_S + block,
    lastS: START_S + block,
    firstBlock: block,
    firstPlace: 0,
    firstTx: hash(1_000 + block),
    ...rest,
  };
};

/**
 * A token created in a block; `scamAt` and `clearedAt` are blocks of verdicts, `drainedAt` of the loss of liquidity.
 */
export const made = (
  token: number,
  options: {
    block?: number;
    scamAt?: number;
    clearedAt?: number;
    drainedAt?: number;
    stolenUsd?: number;
    failedChecks?: readonly string[];
  } = {},
): MadeToken => {
  const { block = 20, scamAt, clearedAt, drainedAt, stolenUsd = 0, failedChecks = [] } = options;
  const turn = (at: number, isScam: boolean) => ({
    isScam,
    block: at,
    atS: START_S + at,
  });
  return {
    token: address(token),
    block,
    atS: START_S + block,
    txHash: hash(2_000 + token),
    turns: [
      ...(scamAt === undefined ? [] : [turn(scamAt, true)]),
      ...(clearedAt === undefined ? [] : [turn(clearedAt, false)]),
    ],
    failedChecks,
    loss:
      drainedAt === undefined
        ? undefined
        : {
            token: address(token),
            stolenUsd,
            victims: 2,
            drain: {
              number: drainedAt,
              txHash: hash(3_000 + token),
              atS: START_S + drainedAt,
            },
          },
  };
};

/** A wallet with only the given fields known. */
export const walletFactsOf = (changes: Partial<WalletFacts> = {}): WalletFacts => ({
  wallet: address(1),
  isHub: false,
  movements: [],
  made: [],
  ring: undefined,
  creators: new Set(),
  scammers: new Set(),
  launchBlocks: new Map(),
  drained: new Set(),
  ...changes,
});

/** Membership of a ring. */
export const inRing = (
  role: NonNullable<WalletFacts['ring']>['role'],
): NonNullable<WalletFacts['ring']> => ({
  id: 'cl_1',
  role,
  riskScore: 80,
  joinedAtS: START_S + 30,
  block: 30,
});
