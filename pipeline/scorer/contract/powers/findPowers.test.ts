import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Hex } from '../../../../shared/chain/block.ts';
import { compileSources } from '../../../../shared/testing/devnet/compileContracts.ts';
import { codeFunctions } from '../probeCalls.ts';
import { POWERS, type Reason } from './evidence.ts';
import { findPowers, type Powers } from './findPowers.ts';

const FILE = 'fixtures/Powers.sol';
const OPTIMIZERS = [
  { name: 'optimized', optimizer: { enabled: true, runs: 200 } },
  { name: 'as written', optimizer: { enabled: false } },
];

const powersOf = (code: Hex): Powers =>
  findPowers(
    code,
    codeFunctions(code).map(({ selector }) => selector.slice(2)),
  );

/** Expected findings of each contract of the fixture; nothing else may be found. */
const EXPECTED: Readonly<Record<string, readonly Reason[]>> = {
  Plain: [],
  OwnerMints: ['mintedByPrivileged'],
  RoleMints: ['mintedByPrivileged'],
  HiddenMint: ['mintedByPrivileged'],
  PaidMint: ['mintedForPayment'],
  Wrapper: ['mintedForDeposit', 'coinPaidOut'],
  MintsOnce: ['mintedOnce'],
  GrantsOnceEach: ['mintedOncePerAccount'],
  DelayedMint: ['mintedByPrivileged'],
  Vesting: [],
  Freezer: ['mintedAsClaim'],
  OwnerBurnsOthers: ['takenByPrivileged'],
  OperatorNeedsNoAllowance: ['takenByPrivileged'],
  OwnerApprovesForOthers: ['allowedForOthers'],
  OwnerSetsCode: ['runsWhatIsSet'],
  Permits: [],
  PermitsOfAnother: ['allowedForOthers'],
  SaleDrained: ['contractTokensGiven', 'strayWithdrawn'],
  Blacklist: ['closedByPrivileged'],
  BlacklistOfTwo: ['closedByPrivileged'],
  Pause: ['closedByPrivileged'],
  OpenForGood: [],
  OpensOnce: ['openedByPrivileged'],
  LargestTransfer: ['boundedByPrivileged'],
  LargestTransferWithFloor: [],
  OpenedAtTime: [],
  OnlyOwnerSells: ['onlyKnownMove'],
  OnlyWithOwner: ['onlyKnownMove'],
  ApprovedExchanges: ['onlyEnteredSpend'],
  PoolRefused: ['recipientRefused'],
  BuyersMarked: ['closedByPrivileged'],
  Cooldown: [],
  LaunchLimit: [],
  AsksElsewhere: ['refusedElsewhere'],
  BorrowersAnswer: [],
  ApprovalsNotKept: ['onlyKnownMove'],
  Guarded: [],
  Reflects: [],
  MintsElsewhere: ['mintedElsewhere'],
  Pausers: ['closedByPrivileged'],
  Vault: ['custodyWithdrawn', 'exitClosedByPrivileged'],
  Proxy: [],
  SellsItsFees: [],
  Votes: [],
  RoleMintsVotes: ['mintedByPrivileged'],
  Forwarded: [],
  SpentByPermit2: [],
  ClearsAllowance: [],
  ApprovedByOperator: [],
  SignedForLibrary: [],
  OwnerFreezes: ['mintedAsClaim', 'setAsideByPrivileged'],
  OwnersTokensSold: ['knownAccountTokensGiven'],
  OwnerBurnsAndCounts: ['takenByPrivileged', 'setAsideByPrivileged'],
  OwnerCallsItself: ['takenByAnyone'],
  AsksElsewhereForAmount: ['refusedElsewhere'],
  AllowanceFromElsewhere: ['allowedForOthers'],
  FeeFromElsewhere: [],
  GivesToBuyers: [],
  ReplacesOlder: ['knownAccountTokensGiven', 'strayWithdrawn'],
  SharesSwept: ['mintedForDeposit', 'custodyWithdrawn'],
  HandsOver: [],
  OwnerReassigns: ['takenByPrivileged'],
  OwnerEmptiesPool: ['takenByPrivileged'],
  OwnerLocksAll: ['mintedAsClaim', 'setAsideByPrivileged'],
  CountsLocked: ['setAsideByPrivileged'],
  ReleasesForOthers: [],
  BurnsWhatWasSent: [],
  GivesFixedAmount: ['contractTokensGiven'],
  ReckonsElsewhere: [],
  OwnerSeeds: ['mintedOncePerAccount'],
  NotesCaller: [],
  WritesWhereTold: ['writesAnywhere'],
  WritesList: [],
  MintsBySignature: ['mintedByPrivileged'],
  MintsOnTheWay: ['mintedByAnyone'],
  SharesOnTheWay: [],
  KeepsTally: [],
  OpensPoolOnce: [],
  PretendsToMove: ['mintedByPrivileged', 'takenByPrivileged'],
  MinterAllowance: ['mintedByPrivileged'],
  OwnerTakesFromNobody: ['mintedByPrivileged'],
  SharesOfCoins: ['mintedForDeposit', 'coinPaidOut'],
  OpensOnceButForSome: ['openedByPrivileged'],
  PaysWallet: ['coinPaidOut'],
  Managers: [],
  Numbered: ['mintedByPrivileged'],
  KeepsHistories: ['mintedByPrivileged', 'mintedOncePerAccount', 'takenByPrivileged'],
  Exchanges: ['mintedForDeposit'],
  TellsPool: [],
  LargestLifted: [],
  LargestFeigned: ['boundedByPrivileged'],
  LeastTransfer: ['boundedByPrivileged'],
  Launched: ['openedByPrivileged'],
  MintsEveryBlock: ['mintedByPrivileged'],
  ThousandthsLifted: [],
  ThousandthsLowered: ['boundedByPrivileged'],
  PackedSettings: [],
  HandedOutByTheBlock: ['mintedOnce'],
  OwnerEntersMinters: ['mintedByPrivileged'],
  ExchangesSafely: ['mintedForDeposit'],
  StakesCoins: ['mintedForPayment'],
  CountsFees: [],
  MintsWithVotes: ['mintedByPrivileged', 'mintedOncePerAccount'],
  MintsAndMarks: ['mintedByPrivileged', 'boundedByPrivileged'],
  GivesAgain: ['mintedOncePerAccount'],
};

/** Contracts that have a power, and which; all others have none. */
const PRESENT: Readonly<Record<string, readonly string[]>> = {
  OwnerMints: ['mint'],
  RoleMints: ['mint'],
  HiddenMint: ['mint'],
  PaidMint: ['mint'],
  GrantsOnceEach: ['mint'],
  DelayedMint: ['mint'],
  OwnerBurnsOthers: ['leak'],
  OperatorNeedsNoAllowance: ['leak'],
  OwnerApprovesForOthers: ['leak'],
  OwnerSetsCode: ['leak'],
  PermitsOfAnother: ['leak'],
  SaleDrained: ['leak'],
  Blacklist: ['limit'],
  BlacklistOfTwo: ['limit'],
  Pause: ['limit'],
  OpensOnce: ['limit'],
  LargestTransfer: ['limit'],
  OnlyOwnerSells: ['limit'],
  OnlyWithOwner: ['limit'],
  ApprovedExchanges: ['limit'],
  PoolRefused: ['limit'],
  BuyersMarked: ['limit'],
  AsksElsewhere: ['limit'],
  ApprovalsNotKept: ['limit'],
  MintsElsewhere: ['mint'],
  Pausers: ['limit'],
  Vault: ['leak', 'limit'],
  RoleMintsVotes: ['mint'],
  OwnerFreezes: ['limit'],
  OwnerBurnsAndCounts: ['leak', 'limit'],
  OwnerCallsItself: ['leak'],
  AsksElsewhereForAmount: ['limit'],
  AllowanceFromElsewhere: ['leak'],
  SharesSwept: ['leak'],
  OwnerReassigns: ['leak'],
  OwnerEmptiesPool: ['leak'],
  OwnerLocksAll: ['limit'],
  CountsLocked: ['limit'],
  GivesFixedAmount: ['leak'],
  OwnerSeeds: ['mint'],
  WritesWhereTold: ['leak'],
  MintsBySignature: ['mint'],
  MintsOnTheWay: ['mint'],
  PretendsToMove: ['mint', 'leak'],
  MinterAllowance: ['mint'],
  OwnerTakesFromNobody: ['mint'],
  OpensOnceButForSome: ['limit'],
  Numbered: ['mint'],
  KeepsHistories: ['mint', 'leak'],
  LargestFeigned: ['limit'],
  LeastTransfer: ['limit'],
  Launched: ['limit'],
  MintsEveryBlock: ['mint'],
  ThousandthsLowered: ['limit'],
  OwnerEntersMinters: ['mint'],
  StakesCoins: ['mint'],
  MintsWithVotes: ['mint'],
  MintsAndMarks: ['mint', 'limit'],
  GivesAgain: ['mint'],
};

for (const { name, optimizer } of OPTIMIZERS) {
  describe(`findPowers of code that is ${name}`, () => {
    let codeOf: (contract: string) => Hex;
    before(async () => {
      const settings = { optimizer, evmVersion: 'paris' };
      const compiled = await compileSources(import.meta.url, [FILE], settings);
      codeOf = (contract) => compiled(FILE, contract).runtime;
    });

    for (const [contract, reasons] of Object.entries(EXPECTED)) {
      it(`${contract}: ${reasons.join(', ') || 'nothing'}`, () => {
        const powers = powersOf(codeOf(contract));
        const found = POWERS.flatMap((power) => powers[power].findings.map(({ reason }) => reason));
        assert.deepEqual([...new Set(found)].toSorted(), reasons.toSorted());
        const present = POWERS.filter((power) => powers[power].score > 0.5);
        assert.deepEqual(present, PRESENT[contract] ?? []);
        assert.equal(powers.isPartial, false);
      });
    }

    it('tells transfers that may count from those that move balances only', () => {
      const counting = ['Plain', 'Permits', 'CountsFees'].map(
        (one) => powersOf(codeOf(one)).mayCount,
      );
      assert.deepEqual(counting, [false, false, true]);
    });

    it('names all who may do the same', () => {
      const { limit } = powersOf(codeOf('BlacklistOfTwo'));
      const kinds = limit.findings.flatMap(({ holders }) => holders.map(({ kind }) => kind));
      assert.deepEqual([...new Set(kinds)].toSorted(), ['fixed', 'stored']);
    });

    it('names the function that gives the power', () => {
      const { mint } = powersOf(codeOf('OwnerMints'));
      const found = mint.findings.map(({ reason, selector, holders }) => {
        return { reason, selector, holders: holders.map(({ kind }) => kind) };
      });
      assert.deepEqual(found, [
        { reason: 'mintedByPrivileged', selector: '40c10f19', holders: ['stored'] },
      ]);
    });

    it('names who makes the entries by which a power is had', () => {
      const { mint } = powersOf(codeOf('OwnerEntersMinters'));
      const enterers = mint.findings.flatMap(({ holders }) =>
        holders.map((one) => one.kind === 'entered' && one.enteredBy.map(({ kind }) => kind)),
      );
      assert.deepEqual(enterers, [['stored']]);
    });
  });
}

describe('findPowers of code made to take long', () => {
  /** Conditions on unknown words in sequence: two to the 200 paths to the end. */
  const branches = Array.from({ length: 200 }, (_, i) => {
    const word = (4 + i).toString(16).padStart(4, '0');
    const next = (12 * i + 10).toString(16).padStart(4, '0');
    // PUSH2 word, CALLDATALOAD, PUSH2 next, JUMPI, GAS, POP, JUMPDEST, and nothing.
    return `61${word}3561${next}575a505b5b`;
  }).join('');

  const hostile: Readonly<Record<string, Hex>> = {
    nothing: '0x',
    'a loop without end': '0x5b600056',
    'a loop that ends when it likes': '0x5b5a600057',
    'many conditions': `0x${branches}`,
    'a stack that grows': '0x5b5a600056',
    'jumps to places not known': '0x60003556',
    'only jump destinations': `0x${'5b'.repeat(24_576)}`,
    'storage written in a loop': '0x5b5a5a555a600057',
    'a sum of two thousand terms': '0x5f6107d05b905f5401906001900380600457505f5500',
    'hashes of hashes': '0x5b60205f2080525a600057',
  };
  for (const [name, code] of Object.entries(hostile)) {
    it(`ends and finds nothing: ${name}`, () => {
      const powers = powersOf(code);
      assert.ok(powers.steps <= 500_000 + 1_000, `${powers.steps} steps`);
      assert.deepEqual(
        POWERS.map((power) => powers[power].score),
        [0, 0, 0],
      );
    });
  }

  it('counts, and finds, the same every time', () => {
    const code: Hex = `0x${branches}`;
    assert.deepEqual(powersOf(code), powersOf(code));
  });
});
