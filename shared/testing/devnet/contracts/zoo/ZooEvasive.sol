// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../PairedErc20.sol";

/// Sales revert where the transaction pays for its gas: whoever only tries one pays nothing.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected
/// @custom:steps pool, lock, crowd
contract GasPriceTrapToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || tx.gasprice == 0, "later");
        _move(from, to, value);
    }
}

/// Only wallets with more ether than exists can sell.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected
/// @custom:steps pool, lock, crowd
contract RichSellerToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || from.balance > 1e27, "poor");
        _move(from, to, value);
    }
}

/// A sale works in the block of the purchase and in the next one, and never again.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, simulation_detected, sell_later
/// @custom:steps pool, lock, crowd
contract NextBlockToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.number;
        require(to != pair || from == owner || block.number <= _boughtAt[from] + 1, "late");
        _move(from, to, value);
    }
}

/// Nine wallets of ten, chosen by a hash, cannot sell.
/// @custom:verdict SCAM
/// @custom:finding holder_trials, sell_simulation
/// @custom:steps pool, lock, crowd
contract HashRefusalToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool isRefused = uint256(keccak256(abi.encode(from))) % 10 != 0;
        require(to != pair || from == owner || !isRefused, "refused");
        _move(from, to, value);
    }
}
