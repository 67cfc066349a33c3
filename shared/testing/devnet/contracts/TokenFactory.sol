// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./HonestToken.sol";

/// Makes tokens by CREATE and CREATE2: no receipt names such a token as its contract address.
contract TokenFactory {
    event TokenMade(address token);

    function make(string calldata name, string calldata symbol, uint256 supply) external {
        emit TokenMade(address(new HonestToken(name, symbol, supply, msg.sender)));
    }

    function make2(string calldata name, string calldata symbol, uint256 supply, bytes32 salt) external {
        emit TokenMade(address(new HonestToken{salt: salt}(name, symbol, supply, msg.sender)));
    }
}
