// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import {Birth} from "./PairedErc20.sol";

/// A token whose balances are kept in its own way.
abstract contract BareErc20 {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function _begin(Birth memory birth) internal {
        name = birth.name;
        symbol = birth.symbol;
        emit Transfer(address(0), birth.holder, birth.supply);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual;
}
