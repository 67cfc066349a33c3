// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import {SimulatedRouter} from "./SimulatedRouter.sol";

interface ISolidlyPool {
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1, uint256 timestamp);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256);
}

/// Trades on one Solidly pool (Aerodrome, Velodrome V2): as on Uniswap V2, but the pool itself says what a trade gives, for its fee can be
/// changed and stable pools have another curve.
contract SimulatedSolidlyRouter is SimulatedRouter {
    function _reserves(Market calldata market) internal view override returns (uint256 token, uint256 base) {
        (uint256 reserve0, uint256 reserve1,) = ISolidlyPool(market.pool).getReserves();
        return market.token < market.base ? (reserve0, reserve1) : (reserve1, reserve0);
    }

    function _amountOut(Market calldata market, address tokenIn, uint256 amountIn, uint256, uint256)
        internal
        view
        override
        returns (uint256)
    {
        return amountIn == 0 ? 0 : ISolidlyPool(market.pool).getAmountOut(amountIn, tokenIn);
    }
}
