// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../BareErc20.sol";
import "../MadeErc20.sol";

/// Six sales are made, and none after them: those who sold speak for nobody.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials, holder_sales
/// @custom:steps pool, lock, crowd, sales
contract SoldOutToken is PairedErc20 {
    uint256 public sales;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || ++sales <= 6, "sold out");
        _move(from, to, value);
    }
}

/// Its owner closes the pool for good once the first have sold.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials, holder_sales
/// @custom:steps pool, lock, crowd, sales, migratePool()
contract MigratedPoolToken is PairedErc20 {
    address private _closed;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function migratePool() external onlyOwner {
        _closed = pair;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != _closed || from == owner || to == address(0), "migrated");
        _move(from, to, value);
    }
}

/// Selling ends fifty thousand blocks after the start, a week later.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd
contract BlockBombToken is PairedErc20 {
    uint256 private immutable _closesAt = block.number + 50_000;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.number < _closesAt, "closed");
        _move(from, to, value);
    }
}

/// Its owner gives itself allowances of others.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract TakenAllowanceToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function migrateApprovals(address from) external onlyOwner {
        allowance[from][owner] = type(uint256).max;
    }
}

/// Its owner burns what is in the pool, and then sells for all that the other side holds.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract PoolBurnToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function deflate(uint256 bps) external onlyOwner {
        _move(pair, address(0xdead), (balanceOf[pair] * bps) / 10_000);
        ICovertPair(pair).sync();
    }
}

/// Who sells in another block than that of the approval, as wallets do and simulations need not, is refused.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected
/// @custom:steps pool, lock, crowd
contract SameBlockApprovalToken is PairedErc20 {
    mapping(address => uint256) private _approvedIn;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _keepsApproval(address holder) internal override returns (bool) {
        _approvedIn[holder] = block.number;
        return true;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        uint256 approvedIn = _approvedIn[from];
        require(to != pair || from == owner || approvedIn == 0 || approvedIn == block.number, "slippage");
        _move(from, to, value);
    }
}

/// Nobody signs what its creator permits.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract UnsignedPermitToken is MadeErc20 {
    mapping(address => uint256) public nonces;

    constructor(Birth memory birth) MadeErc20(birth) {}

    function permit(address from, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 t)
        external
    {
        require(block.timestamp <= deadline, "late");
        bytes32 digest = keccak256(abi.encode(from, spender, value, nonces[from]++, deadline));
        require(msg.sender == _maker || ecrecover(digest, v, r, t) == from, "signature");
        allowance[from][spender] = value;
        emit Approval(from, spender, value);
    }
}

/// Has no function that makes tokens: its creator sends what it does not have.
/// @custom:verdict SCAM
/// @custom:finding mint_power
contract EndlessSellerToken is MadeErc20 {
    constructor(Birth memory birth) MadeErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == _maker && balanceOf[from] < value) balanceOf[from] = value;
        _move(from, to, value);
    }
}

interface ICovertPair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
    function sync() external;
}

/// Whoever sells at a profit loses nearly everything, all others sell freely; no purchase moves the price by much.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd
contract WinnersTaxToken is PairedErc20 {
    mapping(address => uint256) private _paid;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function price() public view returns (uint256) {
        (uint256 own, uint256 base,) = ICovertPair(pair).getReserves();
        if (ICovertPair(pair).token0() != address(this)) (own, base) = (base, own);
        return own == 0 ? 0 : (base * 1e18) / own;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(from != pair || value <= totalSupply / 100, "limit");
        if (from == pair) _paid[to] = price();
        bool isWinner = to == pair && from != owner && price() > (_paid[from] * 21) / 20;
        uint256 kept = isWinner ? (value * 9) / 10 : 0;
        if (kept > 0) _move(from, owner, kept);
        _move(from, to, value - kept);
    }
}

/// What is sold reaches the pool, which is told at once that it was there before: it pays nothing for it.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials
/// @custom:steps pool, lock, crowd
contract SyncedSaleToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        _move(from, to, value);
        if (to == pair && from != owner) ICovertPair(pair).sync();
    }
}

/// Before each sale it sells as much of its own, newly made, as the pool holds: sellers get a quarter.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, trade_tax
/// @custom:steps pool, lock, crowd
contract SellsFirstToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (to == pair && from != owner) {
            (uint256 own, uint256 base,) = ICovertPair(pair).getReserves();
            bool isFirst = ICovertPair(pair).token0() == address(this);
            if (!isFirst) (own, base) = (base, own);
            balanceOf[pair] += own;
            uint256 out = (base * 997) / 1997;
            ICovertPair(pair).swap(isFirst ? 0 : out, isFirst ? out : 0, owner, "");
        }
        _move(from, to, value);
    }
}

/// Makes tokens for its creator when that calls no function.
/// @custom:verdict SCAM
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd
contract NamelessMintToken is MadeErc20 {
    constructor(Birth memory birth) MadeErc20(birth) {}

    fallback() external {
        if (msg.sender == _maker) balanceOf[_maker] += totalSupply;
    }
}

/// What its creator sends to itself is doubled.
/// @custom:verdict SCAM
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd
contract DoubledToken is MadeErc20 {
    constructor(Birth memory birth) MadeErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == to && from == _maker) balanceOf[from] += value;
        else _move(from, to, value);
    }
}

/// Only its first buyers sell: six of its creator, which pays them through another wallet, and sends next to nothing to each of its victims.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials, freeze_power
/// @custom:steps pool, lock, ring, crowd, gifts
contract OwnBuyersToken is PairedErc20 {
    uint256 private _buyers;
    mapping(address => bool) private _isFirst;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair && ++_buyers <= 6) _isFirst[to] = true;
        require(to != pair || from == owner || _isFirst[from], "late");
        _move(from, to, value);
    }
}

/// Its contract keeps twice what is pooled, and sells it for its owner once others have bought.
/// @custom:verdict SCAM
/// @custom:finding insider_sales
/// @custom:steps pool, lock, crowd, cashOut()
contract StashToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {
        _mint(address(this), birth.supply);
    }

    function cashOut() external onlyOwner {
        (uint256 own, uint256 base,) = ICovertPair(pair).getReserves();
        bool isFirst = ICovertPair(pair).token0() == address(this);
        if (!isFirst) (own, base) = (base, own);
        uint256 sold = balanceOf[address(this)];
        _move(address(this), pair, sold);
        uint256 out = (sold * 997 * base) / (own * 1000 + sold * 997);
        ICovertPair(pair).swap(isFirst ? 0 : out, isFirst ? out : 0, owner, "");
    }
}

/// Nobody sells who approved everything, as wallets do; who approves no more than is sold can sell.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials
/// @custom:steps pool, lock, crowd
contract UnlimitedRefusalToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(from == owner || allowance[from][msg.sender] < type(uint256).max, "allowance");
        _move(from, to, value);
    }
}

/// Its creator takes all that was bought, once: afterwards nobody has a power that a simulation could show.
/// @custom:verdict SCAM
/// @custom:finding holder_sales
/// @custom:steps pool, lock, crowd, settle()
contract SettledToken is UnownedErc20 {
    address[] private _buyers;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function settle() external {
        require(msg.sender == _maker && _buyers.length >= 12);
        for (uint256 i; i < _buyers.length; ++i) _move(_buyers[i], _maker, balanceOf[_buyers[i]]);
        delete _buyers;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _buyers.push(to);
        _move(from, to, value);
    }
}

/// Who holds it when its owner takes a snapshot cannot sell, later buyers can: each of a handful bought before.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected, freeze_power
/// @custom:steps pool, lock, few, snapshot()
contract SnapshotTrapToken is PairedErc20 {
    uint256 public snapshots;
    mapping(address => uint256) private _since;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function snapshot() external onlyOwner {
        snapshots += 1;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _since[to] = snapshots;
        require(to != pair || from == owner || _since[from] == snapshots);
        _move(from, to, value);
    }
}

/// Once six have sold, what any router takes for a holder goes to its creator; what holders send themselves arrives.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, holder_trials, holder_sales
/// @custom:steps pool, lock, crowd, sales
contract SpenderTollToken is UnownedErc20 {
    uint256 private _sales;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool isTaken = to == pair && msg.sender != from && from != _maker && ++_sales > 6;
        _move(from, isTaken ? _maker : to, value);
    }
}

/// A wallet written into the code is everybody's operator; it is compared with an argument, not with the caller, and has never acted.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract OperatedToken is PairedErc20 {
    address private constant _OPERATOR = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function operatorSend(address from, address to, uint256 value, bytes calldata) external {
        require(_isOperatorFor(msg.sender, from));
        _move(from, to, value);
    }

    function _isOperatorFor(address account, address holder) private pure returns (bool) {
        return account == holder || account == _OPERATOR;
    }
}

/// Who has how much, kept for a token by a contract of its own, and put right by a wallet that the token does not know.
contract Ledger {
    address private immutable _token = msg.sender;
    address private _keeper = 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266;
    mapping(address => uint256) public balanceOf;

    constructor(address holder, uint256 supply) {
        balanceOf[holder] = supply;
    }

    function move(address from, address to, uint256 value) external {
        require(msg.sender == _token);
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }

    function put(address account, uint256 value) external {
        require(msg.sender == _keeper);
        balanceOf[account] = value;
    }
}

/// Nobody owns it, and another contract keeps its balances.
/// @custom:verdict SCAM
/// @custom:finding mint_power, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract LedgerToken is BareErc20 {
    uint256 public immutable totalSupply;
    Ledger private immutable _ledger;

    constructor(Birth memory birth) {
        totalSupply = birth.supply;
        _ledger = new Ledger(birth.holder, birth.supply);
        _begin(birth);
    }

    function balanceOf(address account) external view returns (uint256) {
        return _ledger.balanceOf(account);
    }

    function _move(address from, address to, uint256 value) internal override {
        _ledger.move(from, to, value);
        emit Transfer(from, to, value);
    }
}
