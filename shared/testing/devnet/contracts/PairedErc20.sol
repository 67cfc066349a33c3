// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./Erc20.sol";

interface IPairFactory {
    function createPair(address tokenA, address tokenB) external returns (address pair);
}

/// What a token is made with: all of the supply goes to the holder, and the factory makes the pool with the wrapped native coin.
struct Birth {
    string name;
    string symbol;
    uint256 supply;
    address holder;
    address factory;
    address weth;
}

/// A token that makes its own pool in its constructor, so that it can tell a sale from a transfer.
abstract contract PairedErc20 is Erc20 {
    address public immutable pair;

    constructor(Birth memory birth) Erc20(birth.name, birth.symbol, birth.supply, birth.holder) {
        pair = IPairFactory(birth.factory).createPair(address(this), birth.weth);
    }
}
