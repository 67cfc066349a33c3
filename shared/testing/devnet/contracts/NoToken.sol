// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// A contract that is not a token and never says it is.
contract NoToken {
    uint256 public counter;

    event Counted(address indexed by, uint256 value);

    function count() external {
        counter += 1;
        emit Counted(msg.sender, counter);
    }
}
