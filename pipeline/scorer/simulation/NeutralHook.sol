// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/// Put in the place of a hook of Uniswap V4: says yes to everything and takes nothing. What a trade gives beside it is what the pool itself
/// gives. A pool whose fee its hook sets trades at no fee.
contract NeutralHook {
    fallback() external {
        bytes32 selector = bytes32(msg.sig);
        // beforeSwap answers three words: its selector, no amounts, a fee of nothing that holds for this trade. All others answer two.
        bool isBeforeSwap = msg.sig == 0x575e24b4;
        assembly {
            mstore(0, selector)
            mstore(32, 0)
            mstore(64, 0x400000)
            return(0, add(64, mul(32, isBeforeSwap)))
        }
    }
}
