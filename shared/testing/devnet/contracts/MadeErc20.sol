// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./PairedErc20.sol";

/// One that knows who made it.
abstract contract MadeErc20 is PairedErc20 {
    address internal immutable _maker;

    constructor(Birth memory birth) PairedErc20(birth) {
        _maker = birth.holder;
    }
}

/// One that nobody owns.
abstract contract UnownedErc20 is MadeErc20 {
    constructor(Birth memory birth) MadeErc20(birth) {
        owner = address(0);
    }
}
