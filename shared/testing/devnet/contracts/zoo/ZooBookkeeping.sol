// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/governance/TimelockController.sol";
import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20FlashMint.sol";
import "../BareErc20.sol";
import "../PairedErc20.sol";

/// Balances are shares of a supply that anyone may let grow by a hundredth once a day.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract RebasingToken is BareErc20 {
    uint256 private constant SHARES = 1e36;
    uint256 public totalSupply;
    uint256 public rebasedAt = block.timestamp;
    mapping(address => uint256) private _shares;

    constructor(Birth memory birth) {
        totalSupply = birth.supply;
        _shares[birth.holder] = SHARES;
        _begin(birth);
    }

    function rebase() external {
        require(block.timestamp >= rebasedAt + 1 days, "wait");
        rebasedAt = block.timestamp;
        totalSupply += totalSupply / 100;
    }

    function balanceOf(address account) public view returns (uint256) {
        return _shares[account] / (SHARES / totalSupply);
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 shares = value * (SHARES / totalSupply);
        _shares[from] -= shares;
        _shares[to] += shares;
        emit Transfer(from, to, value);
    }
}

/// Whoever stakes gets a tenth a year, newly made; nobody owns the contract.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract StakingToken is ERC20 {
    struct Stake {
        uint256 amount;
        uint256 since;
    }

    mapping(address => Stake) public stakes;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, birth.supply);
    }

    function stake(uint256 amount) external {
        require(stakes[msg.sender].amount == 0, "staked");
        _transfer(msg.sender, address(this), amount);
        stakes[msg.sender] = Stake(amount, block.timestamp);
    }

    function unstake() external {
        Stake memory own = stakes[msg.sender];
        delete stakes[msg.sender];
        _transfer(address(this), msg.sender, own.amount);
        _mint(msg.sender, (own.amount * (block.timestamp - own.since)) / (10 * 365 days));
    }
}

/// Every transfer moves the votes of its wallets, as of each block.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract VotingToken is ERC20 {
    struct Checkpoint {
        uint64 block;
        uint192 votes;
    }

    mapping(address => address) public delegates;
    mapping(address => Checkpoint[]) public checkpoints;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, birth.supply);
    }

    function delegate(address delegatee) external {
        _moveVotes(delegates[msg.sender], delegatee, balanceOf(msg.sender));
        delegates[msg.sender] = delegatee;
    }

    function votesOf(address account) public view returns (uint192) {
        uint256 count = checkpoints[account].length;
        return count == 0 ? 0 : checkpoints[account][count - 1].votes;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        _moveVotes(delegates[from], delegates[to], value);
    }

    function _moveVotes(address from, address to, uint256 value) private {
        if (from == to || value == 0) return;
        if (from != address(0)) checkpoints[from].push(Checkpoint(uint64(block.number), votesOf(from) - uint192(value)));
        if (to != address(0)) checkpoints[to].push(Checkpoint(uint64(block.number), votesOf(to) + uint192(value)));
    }
}

/// Lends any number of new tokens for the time of one call.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract FlashMintToken is ERC20FlashMint {
    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, birth.supply);
    }
}

/// New tokens are made by a timelock, two days after everyone can see that they will be.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd
contract TimelockedMintToken is ERC20 {
    TimelockController public immutable owner;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        address[] memory proposers = new address[](1);
        proposers[0] = birth.holder;
        owner = new TimelockController(2 days, proposers, new address[](1), address(0));
        _mint(birth.holder, birth.supply);
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == address(owner), "owner");
        _mint(to, amount);
    }
}

/// The first purchases pay half to the burn address, which keeps robots away.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract SniperTaxToken is PairedErc20 {
    uint256 private immutable _from = block.number;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        uint256 burnt = from == pair && block.number < _from + 4 ? value / 2 : 0;
        if (burnt > 0) _move(from, address(0xdead), burnt);
        _move(from, to, value - burnt);
    }
}

/// Old holders claim what a list grants them, once each; the list cannot be changed.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract ClaimToken is ERC20 {
    bytes32 public immutable root = keccak256("a list");
    mapping(address => bool) public hasClaimed;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, (birth.supply * 9) / 10);
        _mint(address(this), birth.supply / 10);
    }

    function claim(uint256 amount, bytes32[] calldata proof) external {
        require(!hasClaimed[msg.sender], "claimed");
        hasClaimed[msg.sender] = true;
        bytes32 node = keccak256(abi.encode(msg.sender, amount));
        for (uint256 i; i < proof.length; i++) {
            node = node < proof[i] ? keccak256(abi.encode(node, proof[i])) : keccak256(abi.encode(proof[i], node));
        }
        require(node == root, "not listed");
        _transfer(address(this), msg.sender, amount);
    }
}

/// Shares of gains, in signed numbers that each transfer corrects; nobody owns it.
/// @custom:verdict LEGIT
contract CorrectedSharesToken is PairedErc20 {
    uint256 private constant _MAGNITUDE = 2 ** 128;
    uint256 public perShare;
    mapping(address => int256) public corrections;
    mapping(address => bool) public earnsNothing;

    constructor(Birth memory birth) PairedErc20(birth) {
        owner = address(0);
        earnsNothing[pair] = true;
    }

    receive() external payable {
        perShare += (msg.value * _MAGNITUDE) / totalSupply;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        _move(from, to, value);
        int256 moved = int256(perShare * value);
        if (!earnsNothing[from]) corrections[from] += moved;
        if (!earnsNothing[to]) corrections[to] -= moved;
    }
}
