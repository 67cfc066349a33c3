/** Honest contracts of the zoo, by what is special about them. */
const HONEST_ZOO = {
  library: 'LibraryToken',
  roles: 'RolesToken',
  regulated: 'RegulatedToken',
  fairTax: 'FairTaxToken',
  reflection: 'ReflectionToken',
  limitedLaunch: 'LimitedLaunchToken',
  cooldown: 'CooldownToken',
  opened: 'OpenedToken',
  eip1967: 'Eip1967Token',
  zeppelin: 'ZeppelinToken',
  beacon: 'BeaconToken',
  minimalProxy: 'MinimalProxyToken',
  uups: 'UupsToken',
  vesting: 'VestingToken',
  bridgeMinted: 'BridgedToken',
} as const;

/** Contracts that harm who buys them, or can, by how. */
const FRAUD_ZOO = {
  blacklistTrap: 'BlacklistTrapToken',
  approvalTrap: 'ApprovalTrapToken',
  maxSell: 'MaxSellToken',
  timeGate: 'TimeGateToken',
  timeBomb: 'TimeBombToken',
  balanceLie: 'BalanceLieToken',
  nothingDelivered: 'NothingDeliveredToken',
  oracleTrap: 'OracleTrapToken',
  oracleClone: 'OracleTrapClone',
  raisedFee: 'RaisedFeeToken',
  ownerDrain: 'OwnerDrainToken',
  fakeRenounce: 'FakeRenounceToken',
  neverOpen: 'NeverOpenToken',
  gasBomb: 'GasBombToken',
  whitelist: 'WhitelistToken',
  selfDestruct: 'SelfDestructToken',
  transferTax: 'TransferTaxToken',
} as const;

/** All take name, symbol, supply, holder, factory and wrapped native coin. */
export const ZOO_CONTRACTS = { ...HONEST_ZOO, ...FRAUD_ZOO };
export type ZooKind = keyof typeof ZOO_CONTRACTS;

export const isZooKind = (kind: string): kind is ZooKind => kind in ZOO_CONTRACTS;
