// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./NamelessToken.sol";

/// Old style, as MKR: name and symbol are bytes32, not strings.
contract Bytes32NameToken is NamelessToken {
    bytes32 public name;
    bytes32 public symbol;
    uint256 public constant decimals = 18;

    constructor(string memory name_, string memory symbol_, uint256 supply, address holder)
        NamelessToken(supply, holder)
    {
        name = bytes32(bytes(name_));
        symbol = bytes32(bytes(symbol_));
    }
}
