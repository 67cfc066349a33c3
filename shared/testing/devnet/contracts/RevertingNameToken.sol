// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Hostile: name() and symbol() revert with a reason that is itself made to hurt a log file.
contract RevertingNameToken is ERC20 {
    constructor(string memory, string memory, uint256 supply, address holder) ERC20("", "") {
        _mint(holder, supply);
    }

    function name() public pure override returns (string memory) {
        revert("no\r\nname \x1b[31m");
    }

    function symbol() public pure override returns (string memory) {
        revert();
    }
}
