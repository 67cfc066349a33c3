// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Old style, as MKR: name and symbol are bytes32, not strings.
contract Bytes32NameToken {
    bytes32 public name;
    bytes32 public symbol;
    uint256 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory name_, string memory symbol_, uint256 supply, address holder) {
        name = bytes32(bytes(name_));
        symbol = bytes32(bytes(symbol_));
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
}
