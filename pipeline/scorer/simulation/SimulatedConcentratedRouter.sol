// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
}

interface IWeth {
    function deposit() external payable;
}

interface IPool {
    /// Uniswap V3 and its forks answer further values, which differ.
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);
    function liquidity() external view returns (uint128);
    function swap(address recipient, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// Trades on one pool with concentrated liquidity, as the routers of Uniswap V3 and its forks do, whatever factory made the pool. It has the
/// functions of SimulatedRouter, and like it never exists on a chain.
contract SimulatedConcentratedRouter {
    struct Market {
        address pool;
        address token;
        address base;
    }

    /// Of the trade under way: the pool that may ask for payment, in what, and from whom.
    address private pool;
    address private asset;
    address private payer;

    /// Buys for `hundredThousandths` of the base that the pool holds at its price; does nothing where that buys nothing.
    function buy(Market calldata market, uint256 hundredThousandths)
        external
        payable
        returns (uint256 spent, uint256 bought)
    {
        spent = _baseAtPrice(market) * hundredThousandths / 100_000;
        IWeth(market.base).deposit{value: spent}();
        return _swap(market, market.base, spent, address(this));
    }

    /// Sells `amount` of the caller's tokens, which the pool is paid with in its callback.
    function sell(Market calldata market, uint256 amount) external returns (uint256 received, uint256 earned) {
        return _swap(market, market.token, amount, msg.sender);
    }

    /// Sells the tokens that were sent here.
    function settle(Market calldata market) external returns (uint256 received, uint256 earned) {
        return _swap(market, market.token, IToken(market.token).balanceOf(address(this)), address(this));
    }

    /// The base side of the liquidity at the price, as if it reached over all prices; at most what the pool has. Many tokens are
    /// launched with tokens alone: then a fifth of a coin, so that a purchase of 0.5 % costs a thousandth.
    function _baseAtPrice(Market calldata market) private view returns (uint256) {
        (uint256 price,) = IPool(market.pool).slot0();
        uint256 liquidity = IPool(market.pool).liquidity();
        uint256 held = IToken(market.base).balanceOf(market.pool);
        if (price == 0) return 0;
        uint256 atPrice = market.base < market.token ? (liquidity << 96) / price : liquidity * (price >> 32) >> 64;
        uint256 base = atPrice < held ? atPrice : held;
        return base == 0 ? 0.2 ether : base;
    }

    function _swap(Market calldata market, address paid, uint256 amount, address from)
        private
        returns (uint256 amountIn, uint256 amountOut)
    {
        if (amount == 0) return (0, 0);
        bool zeroForOne = paid == (market.token < market.base ? market.token : market.base);
        (pool, asset, payer) = (market.pool, paid, from);
        // One step inside of the lowest and the highest price there is: no limit.
        uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        (int256 amount0, int256 amount1) =
            IPool(market.pool).swap(msg.sender, zeroForOne, int256(amount), limit, "");
        pool = address(0);
        return zeroForOne ? (uint256(amount0), uint256(-amount1)) : (uint256(amount1), uint256(-amount0));
    }

    /// The callback, which each fork gives a name of its own: (int256 amount0, int256 amount1, bytes data).
    fallback() external {
        require(msg.sender == pool, "not the pool");
        (int256 amount0, int256 amount1) = abi.decode(msg.data[4:], (int256, int256));
        uint256 owed = uint256(amount0 > 0 ? amount0 : amount1);
        (bool done, bytes memory answer) = asset.call(
            payer == address(this)
                ? abi.encodeWithSignature("transfer(address,uint256)", pool, owed)
                : abi.encodeWithSignature("transferFrom(address,address,uint256)", payer, pool, owed)
        );
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        require(answer.length == 0 || abi.decode(answer, (bool)), "the transfer answers false");
    }
}
