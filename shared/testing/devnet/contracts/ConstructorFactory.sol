// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./HonestToken.sol";

/// Makes its token in its own constructor: the receipt's contract address is the factory.
contract ConstructorFactory {
    event TokenMade(address token);

    constructor(string memory name, string memory symbol, uint256 supply, address holder) {
        emit TokenMade(address(new HonestToken(name, symbol, supply, holder)));
    }
}
