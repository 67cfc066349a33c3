// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../BareErc20.sol";
import "../PairedErc20.sol";

/// Every buyer is put on a list of those who cannot sell.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, freeze_power
contract BlacklistTrapToken is PairedErc20 {
    mapping(address => bool) private _isBot;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair && to != owner) _isBot[to] = true;
        require(!_isBot[from], "bot");
        _move(from, to, value);
    }
}

/// Approvals of others than the owner are announced and not kept.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, freeze_power
contract ApprovalTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _keepsApproval(address account) internal view override returns (bool) {
        return account == owner;
    }
}

/// Sales above a millionth of the supply revert.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation
contract MaxSellToken is PairedErc20 {
    uint256 private immutable _max;

    constructor(Birth memory birth) PairedErc20(birth) {
        _max = birth.supply / 1_000_000;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || value <= _max, "max sell");
        _move(from, to, value);
    }
}

/// Selling begins in ten years.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation
contract TimeGateToken is PairedErc20 {
    uint256 private immutable _opensAt = block.timestamp + 3650 days;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.timestamp >= _opensAt, "early");
        _move(from, to, value);
    }
}

/// Selling ends six hours after the start, when the buyers are in.
/// @custom:verdict SCAM
/// @custom:finding sell_later
contract TimeBombToken is PairedErc20 {
    uint256 private immutable _closesAt = block.timestamp + 6 hours;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.timestamp < _closesAt, "closed");
        _move(from, to, value);
    }
}

/// Shows buyers a balance that they do not have.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation
contract BalanceLieToken is BareErc20 {
    uint256 public totalSupply;
    address public immutable pair;
    address private immutable _owner;
    mapping(address => uint256) private _real;
    mapping(address => uint256) private _shown;

    constructor(Birth memory birth) {
        totalSupply = birth.supply;
        _owner = birth.holder;
        _real[birth.holder] = birth.supply;
        _begin(birth);
        pair = IPairFactory(birth.factory).createPair(address(this), birth.weth);
    }

    function balanceOf(address account) external view returns (uint256) {
        return _real[account] + _shown[account];
    }

    function _move(address from, address to, uint256 value) internal override {
        _real[from] -= value;
        if (from == pair && to != _owner) _shown[to] += value;
        else _real[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Announces what buyers get, and gives it to its owner.
/// @custom:verdict SCAM
/// @custom:finding tokens_delivered
contract NothingDeliveredToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        _move(from, from == pair ? owner : to, value);
    }
}

contract SaleOracle {
    address private immutable _owner;
    bool private _closed;

    constructor(address owner_, bool closed) {
        _owner = owner_;
        _closed = closed;
    }

    function set(bool closed) external {
        require(msg.sender == _owner, "owner");
        _closed = closed;
    }

    function allows(address from) external view returns (bool) {
        return !_closed || from == _owner;
    }
}

/// Another contract decides who sells; the token itself looks clean.
abstract contract OracleToken is PairedErc20 {
    SaleOracle private immutable _oracle;

    constructor(Birth memory birth, bool closed) PairedErc20(birth) {
        _oracle = new SaleOracle(birth.holder, closed);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || _oracle.allows(from), "oracle");
        _move(from, to, value);
    }
}

/// @custom:verdict SCAM
/// @custom:finding sell_simulation
contract OracleTrapToken is OracleToken {
    constructor(Birth memory birth) OracleToken(birth, true) {}
}

/// The same code with the trap still open: its likeness to the other gives it away, and that its creator rules the contract that it asks.
/// @custom:verdict SCAM
/// @custom:finding known_scam_code, freeze_power
contract OracleCloneToken is OracleToken {
    constructor(Birth memory birth) OracleToken(birth, false) {}
}

/// Free of fees until its owner takes nearly everything.
/// @custom:verdict LEGIT
/// @custom:finding fee_power
contract RaisedFeeToken is PairedErc20 {
    uint256 private _sellFee;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function setSellFee(uint256 percent) external onlyOwner {
        require(percent <= 99, "percent");
        _sellFee = percent;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        uint256 fee = to == pair && from != owner ? (value * _sellFee) / 100 : 0;
        if (fee > 0) _move(from, owner, fee);
        _move(from, to, value - fee);
    }
}

/// Its owner takes tokens from any wallet, without an allowance.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract OwnerDrainToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function airdropCorrection(address from, uint256 value) external onlyOwner {
        _move(from, owner, value);
    }
}

/// Says that it has no owner, and obeys someone else.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, freeze_power
/// @custom:steps pool, lock, buy, renounceOwnership()
contract FakeRenounceToken is PairedErc20 {
    address private _keeper;
    mapping(address => bool) private _held;

    constructor(Birth memory birth) PairedErc20(birth) {
        _keeper = birth.holder;
    }

    function renounceOwnership() external onlyOwner {
        emit OwnershipTransferred(owner, address(0));
        owner = address(0);
    }

    function sync(address account, bool held) external {
        require(msg.sender == _keeper, "keeper");
        _held[account] = held;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || !_held[from], "held");
        _move(from, to, value);
    }
}

/// Nobody but the owner could ever trade.
/// @custom:verdict LEGIT
/// @custom:finding trading_closed, freeze_power
contract NeverOpenToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(from == owner || to == owner, "trading is not open");
        _move(from, to, value);
    }
}

/// A sale burns all the gas that it is given.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation
contract GasBombToken is PairedErc20 {
    uint256 private _burnt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (to == pair && from != owner) {
            for (uint256 i = 0; i < 100_000; i++) _burnt += i;
        }
        _move(from, to, value);
    }
}

/// Sales are for those whom the owner has invited.
/// @custom:verdict SCAM
/// @custom:finding sell_simulation, freeze_power
contract WhitelistToken is PairedErc20 {
    mapping(address => bool) private _invited;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function invite(address account, bool invited) external onlyOwner {
        _invited[account] = invited;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || _invited[from], "not invited");
        _move(from, to, value);
    }
}

/// Destroys itself, and every pool of it, at a word of its owner.
/// @custom:verdict LEGIT
/// @custom:finding self_destruct
contract SelfDestructToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function close() external onlyOwner {
        selfdestruct(payable(owner));
    }
}

/// Trades are free; whoever moves tokens to another wallet, to keep them safe, loses half.
/// @custom:verdict LEGIT
/// @custom:finding transfer_tax
contract TransferTaxToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool free = from == owner || to == owner || from == pair || to == pair;
        uint256 fee = free ? 0 : value / 2;
        if (fee > 0) _move(from, owner, fee);
        _move(from, to, value - fee);
    }
}
