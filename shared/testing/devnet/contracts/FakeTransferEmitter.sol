// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Emits ERC-20 Transfer logs without being a token: no balances, no supply.
contract FakeTransferEmitter {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function emitTransfer(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}
