// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Hostile: name() answers one megabyte of text.
contract HugeNameToken is ERC20 {
    constructor(string memory, string memory symbol_, uint256 supply, address holder) ERC20("", symbol_) {
        _mint(holder, supply);
    }

    /// Written in place, because a copied string would cost four times the gas.
    function name() public pure override returns (string memory) {
        assembly {
            let length := 1000000
            mstore(0, 0x20)
            mstore(0x20, length)
            for { let at := 0 } lt(at, length) { at := add(at, 0x20) } {
                mstore(add(0x40, at), 0x4141414141414141414141414141414141414141414141414141414141414141)
            }
            return(0, add(0x40, length))
        }
    }
}
