// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Hostile: name() and symbol() revert with a reason that is itself made to hurt a log file.
contract RevertingNameToken {
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory, string memory, uint256 supply, address holder) {
        totalSupply = supply;
        balanceOf[holder] = supply;
        emit Transfer(address(0), holder, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function name() external pure returns (string memory) {
        revert("no\r\nname \x1b[31m");
    }

    function symbol() external pure returns (string memory) {
        revert();
    }
}
