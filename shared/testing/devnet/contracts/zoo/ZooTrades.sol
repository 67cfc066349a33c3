// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../PairedErc20.sol";

/// A token whose creator is exempt from what it does to others.
abstract contract CreatedToken is PairedErc20 {
    address internal immutable _creator;

    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) PairedErc20(name_, symbol_, supply, holder, factory, weth) {
        _creator = holder;
    }
}

/// Sales fail where the transaction pays for its gas: simulations mostly do not.
contract GasPriceToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == _creator || tx.gasprice == 0, "paid");
        _move(from, to, value);
    }
}

/// Sales need an account that is far richer than holders are, as simulated ones often are.
contract RichSellerToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == _creator || tx.origin.balance >= 1_000 ether, "poor");
        _move(from, to, value);
    }
}

/// Sales work in the block of the purchase and the next one only.
contract BriefWindowToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}
    mapping(address => uint256) private _boughtIn;

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtIn[to] = block.number;
        require(to != pair || from == _creator || block.number <= _boughtIn[from] + 1, "late");
        _move(from, to, value);
    }
}

/// Nine wallets of ten, chosen by a hash, are refused.
contract ChosenWalletsToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == _creator || uint256(keccak256(abi.encode(from))) % 10 == 0, "refused");
        _move(from, to, value);
    }
}

/// Honest: two blocks must pass between a purchase and a sale, against robots.
contract TwoBlocksToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}
    mapping(address => uint256) private _boughtIn;

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtIn[to] = block.number;
        require(to != pair || from == _creator || block.number >= _boughtIn[from] + 2, "wait two blocks");
        _move(from, to, value);
    }
}

/// Honest: nothing but a token, without an owner.
contract PlainToken is CreatedToken {
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address holder,
        address factory,
        address weth
    ) CreatedToken(name_, symbol_, supply, holder, factory, weth) {}
}
