// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./Erc20.sol";

/// A fixed supply and free transfers: nothing to hide.
contract HonestToken is Erc20 {
    constructor(string memory name_, string memory symbol_, uint256 supply, address holder)
        Erc20(name_, symbol_, supply, holder)
    {}
}
