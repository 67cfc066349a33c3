// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Hostile: name() answers one megabyte of text.
contract HugeNameToken {
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(string memory, string memory symbol_, uint256 supply, address holder) {
        symbol = symbol_;
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

    /// Written in place, because a copied string would cost four times the gas.
    function name() external pure returns (string memory) {
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
