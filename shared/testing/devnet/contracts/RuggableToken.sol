// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./Erc20.sol";

/// An ordinary token. The fraud is outside the code: its creator keeps the pool shares.
contract RuggableToken is Erc20 {
    uint8 public constant version = 1;

    constructor(string memory name_, string memory symbol_, uint256 supply, address holder)
        Erc20(name_, symbol_, supply, holder)
    {}
}
