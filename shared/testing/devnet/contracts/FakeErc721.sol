// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// The Transfer of ERC-721 has the same first topic as that of ERC-20, and a fourth one.
contract FakeErc721 {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function emitTransfer(address from, address to, uint256 tokenId) external {
        emit Transfer(from, to, tokenId);
    }
}
