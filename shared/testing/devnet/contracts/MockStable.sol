// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A dollar token with six decimals, as the large ones have.
contract MockStable is ERC20 {
    constructor(uint256 supply) ERC20("Devnet Dollar", "DUSD") {
        _mint(msg.sender, supply);
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }
}
