// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "./PairedErc20.sol";

/// Takes a share of every sale to the pool for its owner, who may change the share at any time.
contract TaxToken is PairedErc20 {
    uint256 private _marketingPercent = 25;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function setMarketing(uint256 percent) external onlyOwner {
        require(percent <= 100, "percent");
        _marketingPercent = percent;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (to != pair || from == owner) return _move(from, to, value);
        uint256 tax = (value * _marketingPercent) / 100;
        if (tax > 0) _move(from, owner, tax);
        _move(from, to, value - tax);
    }
}
