import type { Hex } from '../../../../shared/chain/block.ts';
import { keccakOf, keccakOfHex } from '../../simulation/evmCode.ts';

/**
 * A framework with the marks that it leaves in code. Each mark is easily copied, but rarely occurs by chance:
 * `needed` of them together identify the framework. They say nothing about what the code does.
 */
export interface Framework {
  /** With the releases that have the marks; the same in every language. */
  readonly name: string;
  /** Number of marks that is enough. */
  readonly needed: number;
  /** The public source from which the marks were read. */
  readonly source: string;
  /** Signatures of functions in the dispatcher. */
  readonly functions?: readonly string[];
  /** Signatures of custom errors. */
  readonly errors?: readonly string[];
  /** Reasons of reverts. */
  readonly texts?: readonly string[];
  /** Numbers that the code pushes onto the stack: storage slots and their seeds. */
  readonly constants?: readonly Hex[];
}

/** The slot of a namespace, as ERC-7201 defines it: `keccak256(keccak256(id) - 1) & ~0xff`. */
const namespaceSlot = (id: string): Hex => {
  const less = (BigInt(keccakOf(id)) - 1n).toString(16).padStart(64, '0');
  return `${keccakOfHex(`0x${less}`).slice(0, -2)}00` as Hex;
};

/** Libraries and factories of tokens. */
export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'OpenZeppelin Contracts 5',
    // Every ERC20 has the first six, every Ownable the next two.
    needed: 5,
    source: 'OpenZeppelin/openzeppelin-contracts 5.7: draft-IERC6093.sol, access, Pausable.sol',
    errors: [
      'ERC20InsufficientBalance(address,uint256,uint256)',
      'ERC20InvalidSender(address)',
      'ERC20InvalidReceiver(address)',
      'ERC20InsufficientAllowance(address,uint256,uint256)',
      'ERC20InvalidApprover(address)',
      'ERC20InvalidSpender(address)',
      'OwnableUnauthorizedAccount(address)',
      'OwnableInvalidOwner(address)',
      'AccessControlUnauthorizedAccount(address,bytes32)',
      'EnforcedPause()',
      'ExpectedPause()',
    ],
  },
  {
    name: 'OpenZeppelin Contracts 2.4–4.9',
    // Tokens with custom transfers, such as those with fees, have four or five of them.
    needed: 6,
    source: 'OpenZeppelin/openzeppelin-contracts 4.9: token/ERC20/ERC20.sol',
    texts: [
      'ERC20: transfer from the zero address',
      'ERC20: transfer to the zero address',
      'ERC20: approve from the zero address',
      'ERC20: approve to the zero address',
      'ERC20: transfer amount exceeds balance',
      'ERC20: decreased allowance below zero',
    ],
  },
  {
    name: 'OpenZeppelin Contracts Upgradeable 5',
    needed: 2,
    source: 'OpenZeppelin/openzeppelin-contracts-upgradeable 5.7: the annotations of storage',
    constants: [
      'openzeppelin.storage.ERC20',
      'openzeppelin.storage.Initializable',
      'openzeppelin.storage.Ownable',
      'openzeppelin.storage.AccessControl',
      'openzeppelin.storage.Pausable',
      'openzeppelin.storage.EIP712',
      'openzeppelin.storage.Nonces',
    ].map(namespaceSlot),
  },
  {
    name: 'Solady',
    needed: 3,
    source: 'Vectorized/solady 0.1.26: tokens/ERC20.sol, auth/Ownable.sol',
    // Slots of the supply, of balances, allowances and nonces, and of the handover of ownership.
    constants: ['0x05345cdf77eb68f44c', '0x87a211a2', '0x7f5e9f20', '0x38377508', '0x389a75e1'],
  },
  {
    name: 'solmate',
    needed: 2,
    source: 'transmissions11/solmate 6.8: tokens/ERC20.sol',
    texts: ['PERMIT_DEADLINE_EXPIRED', 'INVALID_SIGNER'],
  },
  {
    name: 'thirdweb',
    needed: 4,
    source: 'thirdweb-dev/contracts 3.15: base/ERC20Base.sol, ERC20Drop.sol; prebuilts',
    functions: [
      'contractURI()',
      'setContractURI(string)',
      'multicall(bytes[])',
      'mintTo(address,uint256)',
      'contractType()',
      'contractVersion()',
      'getPlatformFeeInfo()',
      'setPrimarySaleRecipient(address)',
      'claim(address,uint256,address,uint256,(bytes32[],uint256,uint256,address),bytes)',
      'mintWithSignature((address,address,uint256,uint256,address,uint128,uint128,bytes32),bytes)',
    ],
  },
  {
    name: 'Superfluid',
    needed: 5,
    source: 'superfluid-finance/protocol-monorepo, ethereum-contracts 1.15: SuperToken.sol',
    functions: [
      'getHost()',
      'realtimeBalanceOf(address,uint256)',
      'realtimeBalanceOfNow(address)',
      'getUnderlyingToken()',
      'upgrade(uint256)',
      'downgrade(uint256)',
      'settleBalance(address,int256)',
    ],
  },
  {
    name: 'Clanker 3.1, 4',
    needed: 6,
    source: 'clanker-devco/v3.1-contracts and v4-contracts: ClankerToken.sol',
    functions: [
      'imageUrl()',
      'metadata()',
      'context()',
      'isVerified()',
      'verify()',
      'updateImage(string)',
      'updateMetadata(string)',
      'originalAdmin()',
      'allData()',
    ],
  },
  {
    name: 'Clanker ≤ 3',
    needed: 4,
    source: 'clanker-devco/contracts: ClankerToken.sol',
    functions: ['fid()', 'deployer()', 'image()', 'castHash()', 'updateImage(string)'],
  },
  {
    name: 'Virtuals AgentToken',
    needed: 6,
    source: 'Virtual-Protocol/protocol-contracts: virtualPersona/AgentToken.sol',
    functions: [
      'projectTaxPendingSwap()',
      'projectBuyTaxBasisPoints()',
      'projectSellTaxBasisPoints()',
      'swapThresholdBasisPoints()',
      'setProjectTaxRecipient(address)',
      'distributeTaxTokens()',
      'addInitialLiquidity(address)',
      'addValidCaller(bytes32)',
    ],
  },
  {
    name: 'Virtuals FERC20',
    needed: 4,
    source: 'Virtual-Protocol/protocol-contracts: fun/FERC20.sol',
    functions: ['maxTx()', 'updateMaxTx(uint256)', 'excludeFromMaxTx(address)'],
    texts: ['Transfer amount must be greater than zero', 'Exceeds MaxTx'],
  },
  {
    name: 'four.meme',
    needed: 5,
    source: 'the published source of its tokens: Token.sol',
    functions: [
      'MODE_NORMAL()',
      'MODE_TRANSFER_RESTRICTED()',
      'MODE_TRANSFER_CONTROLLED()',
      '_mode()',
      'setMode(uint256)',
    ],
    texts: ['Token: Transfer is restricted'],
  },
  {
    name: 'MiniMe',
    needed: 6,
    source: 'Giveth/minime: MiniMeToken.sol',
    functions: [
      'createCloneToken(string,uint8,string,uint256,bool)',
      'generateTokens(address,uint256)',
      'destroyTokens(address,uint256)',
      'enableTransfers(bool)',
      'balanceOfAt(address,uint256)',
      'totalSupplyAt(uint256)',
      'claimTokens(address)',
      'changeController(address)',
    ],
  },
  {
    name: 'UUPS',
    needed: 2,
    source: 'ERC-1822; OpenZeppelin/openzeppelin-contracts 5.7: UUPSUpgradeable.sol',
    functions: ['proxiableUUID()', 'upgradeToAndCall(address,bytes)'],
  },
];
