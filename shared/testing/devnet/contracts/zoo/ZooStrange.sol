// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import "../PairedErc20.sol";

/// Two blocks must pass between a purchase and a sale, against robots.
contract BlockCooldownToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(string memory n, string memory s, uint256 supply, address holder, address factory, address weth)
        PairedErc20(n, s, supply, holder, factory, weth)
    {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.number;
        require(to != pair || block.number > _boughtAt[from] + 2, "wait");
        _move(from, to, value);
    }
}

/// One transfer of a wallet a block.
contract OncePerBlockToken is PairedErc20 {
    mapping(address => uint256) private _movedAt;

    constructor(string memory n, string memory s, uint256 supply, address holder, address factory, address weth)
        PairedErc20(n, s, supply, holder, factory, weth)
    {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from != pair) {
            require(_movedAt[from] < block.number, "once a block");
            _movedAt[from] = block.number;
        }
        _move(from, to, value);
    }
}

/// Ten minutes must pass between a purchase and a sale.
contract TenMinutesToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(string memory n, string memory s, uint256 supply, address holder, address factory, address weth)
        PairedErc20(n, s, supply, holder, factory, weth)
    {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.timestamp;
        require(to != pair || block.timestamp >= _boughtAt[from] + 600, "wait");
        _move(from, to, value);
    }
}

/// In the first blocks of its market nobody buys more than a thousandth of the supply.
contract LaunchLimitToken is PairedErc20 {
    uint256 private immutable _from = block.number;

    constructor(string memory n, string memory s, uint256 supply, address holder, address factory, address weth)
        PairedErc20(n, s, supply, holder, factory, weth)
    {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool isLimited = from == pair && block.number < _from + 3;
        require(!isLimited || value <= totalSupply / 1_000, "launch");
        _move(from, to, value);
    }
}

/// A hundredth of each transfer is destroyed.
contract BurningToken is ERC20 {
    address private immutable _issuer;

    constructor(string memory n, string memory s, uint256 supply, address holder, address, address) ERC20(n, s) {
        _issuer = holder;
        _mint(holder, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        bool isFree = from == address(0) || from == _issuer || to == _issuer;
        uint256 burnt = isFree ? 0 : value / 100;
        if (burnt > 0) super._update(from, address(0), burnt);
        super._update(from, to, value - burnt);
    }
}

/// Approvals by signature.
contract PermitToken is ERC20, ERC20Permit {
    constructor(string memory n, string memory s, uint256 supply, address holder, address, address)
        ERC20(n, s)
        ERC20Permit(n)
    {
        _mint(holder, supply);
    }
}

/// Votes counted by checkpoints of blocks.
contract VotesToken is ERC20, ERC20Permit, ERC20Votes {
    constructor(string memory n, string memory s, uint256 supply, address holder, address, address)
        ERC20(n, s)
        ERC20Permit(n)
    {
        _mint(holder, supply);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }
}
