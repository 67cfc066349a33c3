// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
}

interface IWeth {
    function deposit() external payable;
    function transfer(address to, uint256 value) external returns (bool);
}

interface IPool {
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// Trades on one Uniswap V2 pool as its router does, whatever factory made the pool. It never exists
/// on a chain: its code is put at an unused address for the length of a simulation.
contract SimulatedRouter {
    struct Market {
        address pool;
        address token;
        address base;
    }

    /// Buys for `hundredThousandths` of the pool's base reserve; does nothing where that buys nothing.
    function buy(Market calldata market, uint256 hundredThousandths)
        external
        payable
        returns (uint256 spent, uint256 bought)
    {
        (uint256 reserveToken, uint256 reserveBase) = _reserves(market);
        spent = reserveBase * hundredThousandths / 100_000;
        bought = _amountOut(market, market.base, spent, reserveBase, reserveToken);
        if (bought == 0) return (spent, bought);
        IWeth(market.base).deposit{value: spent}();
        IWeth(market.base).transfer(market.pool, spent);
        bought = _swap(market, market.token, bought);
    }

    /// Takes `amount` of the caller's tokens into the pool, then settles.
    function sell(Market calldata market, uint256 amount)
        external
        returns (uint256 received, uint256 earned)
    {
        (bool done, bytes memory answer) = market.token.call(
            abi.encodeWithSignature("transferFrom(address,address,uint256)", msg.sender, market.pool, amount)
        );
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        require(answer.length == 0 || abi.decode(answer, (bool)), "transferFrom answers false");
        return settle(market);
    }

    /// Swaps what the pool holds above its reserve; does nothing where that earns nothing.
    function settle(Market calldata market) public returns (uint256 received, uint256 earned) {
        (uint256 reserveToken, uint256 reserveBase) = _reserves(market);
        received = IToken(market.token).balanceOf(market.pool) - reserveToken;
        earned = _amountOut(market, market.token, received, reserveToken, reserveBase);
        if (earned > 0) earned = _swap(market, market.base, earned);
    }

    function _reserves(Market calldata market) internal view virtual returns (uint256 token, uint256 base) {
        (uint256 reserve0, uint256 reserve1,) = IPool(market.pool).getReserves();
        return market.token < market.base ? (reserve0, reserve1) : (reserve1, reserve0);
    }

    /// Asks the pool for `amount`, and for less where it refuses that: forks of Uniswap V2 may keep more than 0.3 %, here up to 10 %.
    function _swap(Market calldata market, address wanted, uint256 amount) private returns (uint256) {
        bool wantsLower = wanted == (market.token < market.base ? market.token : market.base);
        // Thousandths that fees of 0.3, 1, 3 and 10 % leave of what 0.3 % leaves.
        uint16[4] memory parts = [1_000, 992, 972, 902];
        bytes memory refusal;
        for (uint256 i = 0; i < parts.length; i++) {
            uint256 asked = amount * parts[i] / 1_000;
            (uint256 amount0, uint256 amount1) = wantsLower ? (asked, uint256(0)) : (uint256(0), asked);
            try IPool(market.pool).swap(amount0, amount1, msg.sender, "") {
                return asked;
            } catch (bytes memory reason) {
                if (i == 0) refusal = reason;
            }
        }
        assembly {
            revert(add(refusal, 32), mload(refusal))
        }
    }

    /// The constant product with a fee of 0.3 %, as in UniswapV2Library.getAmountOut.
    function _amountOut(Market calldata, address, uint256 amountIn, uint256 reserveIn, uint256 reserveOut)
        internal
        view
        virtual
        returns (uint256)
    {
        if (amountIn == 0 || reserveIn == 0) return 0;
        uint256 afterFee = amountIn * 997;
        return afterFee * reserveOut / (reserveIn * 1_000 + afterFee);
    }
}
