// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../PairedErc20.sol";

/// Sales revert where blocks have a base fee: simulated ones often have none.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected
/// @custom:steps pool, lock, crowd
contract BaseFeeTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.basefee == 0, "later");
        _move(from, to, value);
    }
}

/// Sales work only in blocks that nobody made.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract CoinbaseTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.coinbase == address(0), "later");
        _move(from, to, value);
    }
}

/// Sales need more gas than anybody pays for; nodes give a simulated call all of a block.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract GasLimitTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || gasleft() > 12_000_000, "later");
        _move(from, to, value);
    }
}

/// Sales work only where the block has no random number.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract RandomTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || block.prevrandao == 0, "later");
        _move(from, to, value);
    }
}

/// Only the first two buyers can ever sell.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract FirstBuyersToken is PairedErc20 {
    uint256 public buyers;
    mapping(address => uint256) public numberOf;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair && numberOf[to] == 0) numberOf[to] = ++buyers;
        bool isEarly = numberOf[from] > 0 && numberOf[from] <= 2;
        require(to != pair || from == owner || isEarly, "late");
        _move(from, to, value);
    }
}

/// A wallet may sell a thousandth of what it holds, once.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract CrumbToken is PairedErc20 {
    mapping(address => bool) public hasSold;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (to == pair && from != owner) {
            require(!hasSold[from] && value <= balanceOf[from] / 1_000, "limit");
            hasSold[from] = true;
        }
        _move(from, to, value);
    }
}

/// Only contracts can sell: what is tried by a contract works, wallets are refused.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract ContractSellerToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || from.code.length > 0, "later");
        _move(from, to, value);
    }
}
