import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { LockAct, LockFact } from '../chain/fact.ts';
import { type EventDecoder, eventDecoder, NOTHING, type Place } from './logShape.ts';
import type { RawLog } from './rawBlock.ts';

type Logged = Partial<Omit<LockFact, 'kind' | 'act' | keyof Place>>;

/** The fact of an event whose parameters have the names of its fields. */
const lockFact =
  (act: LockAct) =>
  (logged: Logged, { address }: RawLog, place: Place): LockFact => ({
    kind: 'lock',
    act,
    locker: address,
    lockId: NOTHING,
    asset: ZERO_ADDRESS,
    position: NOTHING,
    owner: ZERO_ADDRESS,
    amount: NOTHING,
    unlockAt: NOTHING,
    ...logged,
    ...place,
  });
const locked = lockFact('locked');
const extended = lockFact('extended');
const withdrawn = lockFact('withdrawn');
const handedOver = lockFact('handedOver');

/** The fact of an event of a position manager: the position is an NFT, and its owner may empty it. */
const positionFact = (act: LockAct) => {
  const fact = lockFact(act);
  return (logged: Logged, log: RawLog, place: Place): LockFact =>
    fact({ locker: ZERO_ADDRESS, asset: log.address, ...logged }, log, place);
};

/** Unicrypt for Uniswap V2 pools, first version: locks have no numbers, and extensions are not logged. */
const unicrypt: readonly EventDecoder[] = [
  eventDecoder(
    'event onDeposit(address asset, address owner, uint256 amount, uint256 _lockDate, uint256 unlockAt)',
    locked,
  ),
  // Also the vesting of UNCX.
  eventDecoder('event onWithdraw(address asset, uint256 amount)', withdrawn),
];

/** UNCX for Uniswap V2 pools. */
const uncx: readonly EventDecoder[] = [
  eventDecoder(
    'event onNewLock(uint256 lockId, address asset, address owner, uint256 amount, uint256 _lockDate, uint256 unlockAt, uint16 _country)',
    locked,
  ),
  eventDecoder(
    'event onRelock(uint256 lockId, address asset, address owner, uint256 amount, uint256 _fee, uint256 unlockAt)',
    extended,
  ),
  eventDecoder(
    'event onIncrementLock(uint256 lockId, address asset, address owner, address _payer, uint256 _remaining, uint256 amount, uint256 _fee)',
    lockFact('added'),
  ),
  eventDecoder(
    'event onWithdraw(uint256 lockId, address asset, address owner, uint256 _remaining, uint256 amount)',
    withdrawn,
  ),
  // A part that is split off is logged as a lock of its own.
  eventDecoder(
    'event onSplitLock(uint256 lockId, address asset, address owner, uint256 amount, uint256 _split)',
    extended,
  ),
  eventDecoder(
    'event onTransferLockOwnership(uint256 lockId, address asset, address _oldOwner, address owner)',
    handedOver,
  ),
  eventDecoder(
    'event OnMigrate(uint256 lockId, address asset, address owner, uint256 _remaining, uint256 amount, uint256 _option)',
    withdrawn,
  ),
];

/** UNCX for V3 positions, and for tokens. */
const uncxOthers: readonly EventDecoder[] = [
  eventDecoder(
    [
      'event onLock(uint256 lockId, address asset, uint256 position, address owner, address _collector, address _collect, uint256 unlockAt, uint16 _country, uint256 _fee, address _pool, Position _position)',
      'struct Position { uint96 _nonce; address _operator; address _token0; address _token1; uint24 _fee; int24 _tickLower; int24 _tickUpper; uint128 amount; uint256 _growth0; uint256 _growth1; uint128 _owed0; uint128 _owed1; }',
    ],
    locked,
  ),
  eventDecoder('event onWithdraw(uint256 lockId, address owner, address _receiver)', withdrawn),
  // Nothing is released before the emission starts.
  eventDecoder(
    'event onLock(uint256 lockId, address asset, address owner, uint256 amount, uint256 start, uint256 end)',
    ({ start, end, ...args }, log, place) =>
      locked({ ...args, unlockAt: BigInt(start) > 0n ? start : end }, log, place),
  ),
  // Of both.
  eventDecoder('event onRelock(uint256 lockId, uint256 unlockAt)', extended),
];

/** Team Finance: tokens, including pool tokens, and V3 positions. */
const teamFinance: readonly EventDecoder[] = [
  eventDecoder(
    'event Deposit(uint256 lockId, address indexed asset, address indexed owner, uint256 amount, uint256 unlockAt)',
    locked,
  ),
  eventDecoder(
    'event DepositNFT(uint256 lockId, address indexed asset, uint256 position, address indexed owner, uint256 _one, uint256 unlockAt)',
    locked,
  ),
  eventDecoder('event LockDurationExtended(uint256 lockId, uint256 unlockAt)', extended),
  eventDecoder(
    'event LogTokenWithdrawal(uint256 lockId, address indexed asset, address indexed owner, uint256 amount)',
    withdrawn,
  ),
  eventDecoder(
    'event LogNFTWithdrawal(uint256 lockId, address indexed asset, uint256 position, address indexed owner, uint256 _one)',
    withdrawn,
  ),
];

/** PinkLock: tokens, including pool tokens. */
const pinkLock: readonly EventDecoder[] = [
  eventDecoder(
    'event LockAdded(uint256 indexed lockId, address asset, address owner, uint256 amount, uint256 unlockAt)',
    locked,
  ),
  eventDecoder(
    'event LockUpdated(uint256 indexed lockId, address asset, address owner, uint256 amount, uint256 unlockAt)',
    extended,
  ),
  eventDecoder(
    'event LockRemoved(uint256 indexed lockId, address asset, address owner, uint256 amount, uint256 _unlockedAt)',
    withdrawn,
  ),
  eventDecoder(
    'event LockVested(uint256 indexed lockId, address asset, address owner, uint256 amount, uint256 _remaining, uint256 _timestamp)',
    withdrawn,
  ),
  eventDecoder(
    'event LockOwnerChanged(uint256 lockId, address _oldOwner, address owner)',
    handedOver,
  ),
];

/** Positions of Uniswap V3 and its forks, as their managers log them. */
const positions: readonly EventDecoder[] = [
  eventDecoder(
    'event IncreaseLiquidity(uint256 indexed position, uint128 amount, uint256 _amount0, uint256 _amount1)',
    positionFact('increased'),
  ),
  eventDecoder(
    'event DecreaseLiquidity(uint256 indexed position, uint128 amount, uint256 _amount0, uint256 _amount1)',
    positionFact('decreased'),
  ),
];

/** Events of lockers of liquidity and supply. */
export const lockers: readonly EventDecoder[] = [
  ...unicrypt,
  ...uncx,
  ...uncxOthers,
  ...teamFinance,
  ...pinkLock,
  ...positions,
];

/** `Transfer` of ERC-721. */
const moved = eventDecoder(
  'event Transfer(address indexed _from, address indexed owner, uint256 indexed position)',
  positionFact('moved'),
);

/**
 * The NFT transfers in transactions that also have one of these facts on locks or positions. Only such an NFT can be
 * a locked position; all others are irrelevant.
 */
export const positionMoves = (
  logs: readonly RawLog[],
  transactions: ReadonlySet<Hex>,
): LockFact[] =>
  logs.flatMap((log) => {
    if (log.topics[0] !== moved.topic || !transactions.has(log.transactionHash)) return [];
    const fact = moved.decode(log);
    return typeof fact === 'object' && fact.kind === 'lock' ? [fact] : [];
  });
