// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./Erc20.sol";

interface IPairFactory {
    function createPair(address tokenA, address tokenB) external returns (address pair);
}

/// A token that makes its own pool in its constructor, so that it can tell a sale from a transfer.
abstract contract PairedErc20 is Erc20 {
    address public immutable pair;

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) Erc20(name_, symbol_, supply, holder) {
        pair = IPairFactory(factory).createPair(address(this), weth);
    }
}
