// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./PairedErc20.sol";

/// One that knows who made it.
abstract contract MadeErc20 is PairedErc20 {
    address internal immutable _maker;

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) PairedErc20(name_, symbol_, supply, holder, factory, weth) {
        _maker = holder;
    }
}

/// One that nobody owns.
abstract contract UnownedErc20 is MadeErc20 {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) MadeErc20(name_, symbol_, supply, holder, factory, weth) {
        owner = address(0);
    }
}
