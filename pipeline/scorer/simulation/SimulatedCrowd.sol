// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

interface ICrowdToken {
    function balanceOf(address account) external view returns (uint256);
}

/// Many purchases, each handed on to two wallets that are new: a token with many trades and many holders. It never exists on a chain: its code
/// is put at an unused address for the length of a simulation.
contract SimulatedCrowd {
    /// Gas below which it stops, so that what was bought before stays.
    uint256 private constant GAS_LEFT_MIN = 1_500_000;

    /// Makes the same call of a router, with the same value, again and again. Answers how many purchases worked.
    function buy(address router, address token, uint256 value, uint256 times, bytes calldata purchase)
        external
        returns (uint256 bought)
    {
        for (uint256 i = 0; i < times && gasleft() > GAS_LEFT_MIN; i++) {
            (bool done,) = router.call{value: value}(purchase);
            if (!done) continue;
            bought++;
            _handOn(token, ICrowdToken(token).balanceOf(address(this)) / 2);
            _handOn(token, ICrowdToken(token).balanceOf(address(this)));
        }
    }

    function _handOn(address token, uint256 value) private {
        address wallet = address(uint160(uint256(keccak256(abi.encode(address(this), gasleft())))));
        // Where the token refuses, the crowd is smaller.
        token.call(abi.encodeWithSignature("transfer(address,uint256)", wallet, value));
    }
}
