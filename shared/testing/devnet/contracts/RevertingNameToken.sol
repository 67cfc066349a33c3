// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./NamelessToken.sol";

/// Hostile: name() and symbol() revert with a reason that is itself made to hurt a log file.
contract RevertingNameToken is NamelessToken {
    uint8 public constant decimals = 18;

    constructor(string memory, string memory, uint256 supply, address holder)
        NamelessToken(supply, holder)
    {}

    function name() external pure returns (string memory) {
        revert("no\r\nname \x1b[31m");
    }

    function symbol() external pure returns (string memory) {
        revert();
    }
}
