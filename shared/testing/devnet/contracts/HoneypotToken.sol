// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./PairedErc20.sol";

/// Anyone may buy; a sale to the pool reverts for everyone but the owner.
contract HoneypotToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner, "TRANSFER_FROM_FAILED");
        _move(from, to, value);
    }
}
