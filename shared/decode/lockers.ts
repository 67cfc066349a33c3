import { type Hex, ZERO_ADDRESS } from '../chain/block.ts';
import type { LockAct, LockFact } from '../chain/fact.ts';
import { type EventDecoder, eventDecoder, type Place } from './logShape.ts';
import type { RawLog } from './rawBlock.ts';

const NONE: Hex = '0x0';

type Logged = Partial<Omit<LockFact, 'kind' | 'act' | keyof Place>>;

const lockFact = (act: LockAct, { address }: RawLog, place: Place, logged: Logged): LockFact => ({
  kind: 'lock',
  act,
  locker: address,
  lockId: NONE,
  asset: ZERO_ADDRESS,
  position: NONE,
  owner: ZERO_ADDRESS,
  amount: NONE,
  unlockAt: NONE,
  ...logged,
  ...place,
});

/** Unicrypt for pools of Uniswap V2, its first form: locks have no numbers, and what is locked longer is not logged. */
const unicrypt: readonly EventDecoder[] = [
  // onDeposit(address lpToken, address user, uint256 amount, uint256 lockDate, uint256 unlockDate)
  eventDecoder(
    '0x830357565da6ecfc26d8d9f69df488ed6f70361af9a07e570544aeb5c5e765e5',
    [],
    ['address', 'address', 'uint256', 'uint256', 'uint256'],
    ([asset, owner, amount, _lockDate, unlockAt], log, place) =>
      lockFact('locked', log, place, { asset, owner, amount, unlockAt }),
  ),
  // onWithdraw(address lpToken, uint256 amount): of the vesting of UNCX too
  eventDecoder(
    '0xccad973dcd043c7d680389db4378bd6b9775db7124092e9e0422c9e46d7985dc',
    [],
    ['address', 'uint256'],
    ([asset, amount], log, place) => lockFact('withdrawn', log, place, { asset, amount }),
  ),
];

/** UNCX for pools of Uniswap V2. */
const uncx: readonly EventDecoder[] = [
  // onNewLock(uint256 lockID, address lpToken, address owner, uint256 amount, uint256 lockDate, uint256 unlockDate,
  //   uint16 countryCode)
  eventDecoder(
    '0x3e5a874dd8f086c73bba5a860cb04972e50b6207f84cc020037d576afa6ebc13',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount, _lockDate, unlockAt], log, place) =>
      lockFact('locked', log, place, { lockId, asset, owner, amount, unlockAt }),
  ),
  // onRelock(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 liquidityFee,
  //   uint256 unlockDate)
  eventDecoder(
    '0x139b970a1cf074dc6188d72d876cfd4d4992ae83931cf20dfdd59bb3b3dc0f91',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount, _fee, unlockAt], log, place) =>
      lockFact('extended', log, place, { lockId, asset, owner, amount, unlockAt }),
  ),
  // onIncrementLock(uint256 lockID, address lpToken, address owner, address payer, uint256 amountRemainingInLock,
  //   uint256 amountAdded, uint256 liquidityFee)
  eventDecoder(
    '0x290ddee191319eda9ea34e6de4555381e35469d74d73fe0e80fe7f0836620ea0',
    [],
    ['uint256', 'address', 'address', 'address', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, _payer, _remaining, amount], log, place) =>
      lockFact('added', log, place, { lockId, asset, owner, amount }),
  ),
  // onWithdraw(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountRemoved)
  eventDecoder(
    '0x4ad1282d02c0d7aa981ce2f5b4e42e99e212f6a24d11616393c32a87226e160c',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256'],
    ([lockId, asset, owner, _remaining, amount], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, owner, amount }),
  ),
  // onSplitLock: as onWithdraw; what is split off is logged as a lock of its own
  eventDecoder(
    '0x697dcda8f78b880b1cb951baa5cc946598b5d42acd259da9f4c6020d771cf1e8',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount], log, place) =>
      lockFact('extended', log, place, { lockId, asset, owner, amount }),
  ),
  // onTransferLockOwnership(uint256 lockID, address lpToken, address oldOwner, address newOwner)
  eventDecoder(
    '0x4e602365e8ca79d90aa843bdcc20695568e4a35d5ff284b2f9a6e4c1ff912052',
    [],
    ['uint256', 'address', 'address', 'address'],
    ([lockId, asset, _oldOwner, owner], log, place) =>
      lockFact('handedOver', log, place, { lockId, asset, owner }),
  ),
  // OnMigrate(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountMigrated,
  //   uint256 migrationOption)
  eventDecoder(
    '0xd1c5393354113225db8a862cfa2e892ca5497c135d41d49c0c88222af90fc3a6',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, _remaining, amount], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, owner, amount }),
  ),
];

/** A position of Uniswap V3 as its manager returns it: nonce, operator, tokens, fee, ticks, liquidity, fees grown and owed. */
const POSITION = [
  'uint256',
  'address',
  'address',
  'address',
  'uint24',
  'tick',
  'tick',
  'uint128',
  'uint256',
  'uint256',
  'uint128',
  'uint128',
] as const;
const LIQUIDITY_AT = 17;

/** UNCX for positions of V3, and for tokens. */
const uncxOthers: readonly EventDecoder[] = [
  // onLock(uint256 lock_id, address nftPositionManager, uint256 nft_id, address owner, address additionalCollector,
  //   address collectAddress, uint256 unlockDate, uint16 countryCode, uint256 collectFee, address poolAddress,
  //   Position position)
  eventDecoder(
    '0x3bf9c85fbe37d401523942f10940796acef64062e1a1c45647978e32f4969f5c',
    [],
    [
      'uint256',
      'address',
      'uint256',
      'address',
      'address',
      'address',
      'uint256',
      'uint256',
      'uint256',
      'address',
      ...POSITION,
    ],
    (values, log, place) => {
      const [lockId, asset, position, owner, _collector, _collect, unlockAt] = values;
      const amount = values[LIQUIDITY_AT];
      return lockFact('locked', log, place, { lockId, asset, position, owner, amount, unlockAt });
    },
  ),
  // onWithdraw(uint256 lock_id, address owner, address receiver)
  eventDecoder(
    '0xcf3f38c6e10e7fa2c0a2d09ff592596efa8ea3865dd7aabb9bff9c5189c607a8',
    [],
    ['uint256', 'address', 'address'],
    ([lockId, owner], log, place) => lockFact('withdrawn', log, place, { lockId, owner }),
  ),
  // onLock(uint256 lockID, address token, address owner, uint256 amountInTokens, uint256 startEmission,
  //   uint256 endEmission): nothing comes free before the emission starts
  eventDecoder(
    '0x4d0f9887048089b093c92bec885ab529000723bce1a79f4e81a5990619910b96',
    [],
    ['uint256', 'address', 'address', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount, start, end], log, place) => {
      const unlockAt = BigInt(start) > 0n ? start : end;
      return lockFact('locked', log, place, { lockId, asset, owner, amount, unlockAt });
    },
  ),
  // onRelock(uint256 lockId, uint256 unlockDate): of both
  eventDecoder(
    '0xefaff1b90138281d215452c67f793017f52e456f65c28ac63f5309a89a059b47',
    [],
    ['uint256', 'uint256'],
    ([lockId, unlockAt], log, place) => lockFact('extended', log, place, { lockId, unlockAt }),
  ),
];

/** Team Finance: tokens, those of pools among them, and positions of V3. */
const teamFinance: readonly EventDecoder[] = [
  // Deposit(uint256 id, address indexed tokenAddress, address indexed withdrawalAddress, uint256 amount, uint256 unlockTime)
  eventDecoder(
    '0xeb65d0f36862bbd8763c5e2c983c9d753267d223eee35a224d8d0a9d7ef433a2',
    ['address', 'address'],
    ['uint256', 'uint256', 'uint256'],
    ([asset, owner, lockId, amount, unlockAt], log, place) =>
      lockFact('locked', log, place, { lockId, asset, owner, amount, unlockAt }),
  ),
  // DepositNFT(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress,
  //   uint256 amount, uint256 unlockTime): the amount is one
  eventDecoder(
    '0x8ada5a61cb829cf6dd4a74752fd8a7524261a767c2c80ee9398343e2063ef144',
    ['address', 'address'],
    ['uint256', 'uint256', 'uint256', 'uint256'],
    ([asset, owner, lockId, position, _one, unlockAt], log, place) =>
      lockFact('locked', log, place, { lockId, asset, position, owner, unlockAt }),
  ),
  // LockDurationExtended(uint256 id, uint256 unlockTime)
  eventDecoder(
    '0x02fed7db9bfa24866201e4c0f859e50ba5b07531944ea38204ccde5cc1635d1e',
    [],
    ['uint256', 'uint256'],
    ([lockId, unlockAt], log, place) => lockFact('extended', log, place, { lockId, unlockAt }),
  ),
  // LogTokenWithdrawal(uint256 id, address indexed tokenAddress, address indexed withdrawalAddress, uint256 amount)
  eventDecoder(
    '0x0d4e822e698a3b7d8bbfd9c6134543f053190e9179c0b891e527344267c74e2c',
    ['address', 'address'],
    ['uint256', 'uint256'],
    ([asset, owner, lockId, amount], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, owner, amount }),
  ),
  // LogNFTWithdrawal(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress, uint256 amount)
  eventDecoder(
    '0xc62daab170a6f948b96ecf94bc8026d453d9fa56f720914202e677c726a5f1f6',
    ['address', 'address'],
    ['uint256', 'uint256', 'uint256'],
    ([asset, owner, lockId, position], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, position, owner }),
  ),
];

/** PinkLock: tokens, those of pools among them. */
const pinkLock: readonly EventDecoder[] = [
  // LockAdded(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockDate)
  eventDecoder(
    '0x694af1cc8727cdd0afbdd53d9b87b69248bd490224e9dd090e788546506e076f',
    ['uint256'],
    ['address', 'address', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount, unlockAt], log, place) =>
      lockFact('locked', log, place, { lockId, asset, owner, amount, unlockAt }),
  ),
  // LockUpdated(uint256 indexed id, address token, address owner, uint256 newAmount, uint256 newUnlockDate)
  eventDecoder(
    '0xa8b26360df8d5e154ffa5a8a7e894e85f781acfbbef0b744fb9551d8fd0fd36c',
    ['uint256'],
    ['address', 'address', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount, unlockAt], log, place) =>
      lockFact('extended', log, place, { lockId, asset, owner, amount, unlockAt }),
  ),
  // LockRemoved(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockedAt)
  eventDecoder(
    '0xc6532367992b32e42a62dd89fc3574876d97d081a263aa6e030f34b79b7e6e8b',
    ['uint256'],
    ['address', 'address', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, owner, amount }),
  ),
  // LockVested(uint256 indexed id, address token, address owner, uint256 amount, uint256 remaining, uint256 timestamp)
  eventDecoder(
    '0xf93385ffdf40b698b13993c059834b8e91d0ca8e7abf827a34001ca03c03f6ff',
    ['uint256'],
    ['address', 'address', 'uint256', 'uint256', 'uint256'],
    ([lockId, asset, owner, amount], log, place) =>
      lockFact('withdrawn', log, place, { lockId, asset, owner, amount }),
  ),
  // LockOwnerChanged(uint256 lockId, address owner, address newOwner)
  eventDecoder(
    '0x9075ad040756c0d8743a1fed927066a92c4755071615bf61e04b17583d961caf',
    [],
    ['uint256', 'address', 'address'],
    ([lockId, _oldOwner, owner], log, place) =>
      lockFact('handedOver', log, place, { lockId, owner }),
  ),
];

/** Positions of Uniswap V3 and its forks as their managers log them: the position is an NFT, and whoever has that may empty it. */
const positions: readonly EventDecoder[] = (
  [
    // IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
    ['increased', '0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f'],
    // DecreaseLiquidity: as IncreaseLiquidity
    ['decreased', '0x26f6a048ee9138f2c0ce266f322cb99228e8d619ae2bff30c67f8dcf9d2377b4'],
  ] as const
).map(([act, topic]) =>
  eventDecoder(
    topic,
    ['uint256'],
    ['uint128', 'uint256', 'uint256'],
    ([position, amount], log, place) =>
      lockFact(act, log, place, { locker: ZERO_ADDRESS, asset: log.address, position, amount }),
  ),
);

/** What lockers of liquidity and supply log. */
export const lockers: readonly EventDecoder[] = [
  ...unicrypt,
  ...uncx,
  ...uncxOthers,
  ...teamFinance,
  ...pinkLock,
  ...positions,
];

// Transfer(address indexed from, address indexed to, uint256 indexed tokenId) of ERC-721
const moved = eventDecoder(
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  ['address', 'address', 'uint256'],
  [],
  ([_from, owner, position], log, place) =>
    lockFact('moved', log, place, {
      locker: ZERO_ADDRESS,
      asset: log.address,
      position,
      owner,
    }),
);

/**
 * The transfers of NFTs among logs that stand in a transaction with one of these facts on locks or positions: only such an NFT can be
 * a position that is locked, and all others are none of ours.
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
