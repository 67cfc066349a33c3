// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
}

interface IWeth {
    function deposit() external payable;
    function transfer(address to, uint256 value) external returns (bool);
}

interface IPoolManager {
    struct PoolKey {
        address currency0;
        address currency1;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    struct Trade {
        bool zeroForOne;
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, Trade calldata trade, bytes calldata hookData) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
    function extsload(bytes32 slot) external view returns (bytes32);
}

/// Trades on one pool of Uniswap V4, an entry of its manager: it unlocks the manager and pays first, as a router does that takes tokens which
/// cost something on their way. A pool with native currency is traded in its wrapped token. It has the functions of SimulatedRouter, and
/// like it never exists on a chain.
contract SimulatedV4Router {
    struct Market {
        address manager;
        address token;
        /// The wrapped native token.
        address base;
        /// Whether the pool's other side is the native currency.
        uint256 isNative;
        uint24 fee;
        int24 tickSpacing;
        address hooks;
    }

    /// A trade under way: what is paid, how much, and by whom; who gets what it brings.
    struct Order {
        address paid;
        address bought;
        uint256 amount;
        address payer;
        address receiver;
    }

    receive() external payable {}

    /// Buys for `hundredThousandths` of the base that the pool would hold at its price; does nothing where that buys nothing.
    function buy(Market calldata market, uint256 hundredThousandths)
        external
        payable
        returns (uint256 spent, uint256 bought)
    {
        spent = _baseAtPrice(market) * hundredThousandths / 100_000;
        address base = _currency(market);
        if (base != address(0)) IWeth(base).deposit{value: spent}();
        return _trade(market, Order(base, market.token, spent, address(this), msg.sender));
    }

    /// Sells `amount` of the caller's tokens, which the manager is paid with.
    function sell(Market calldata market, uint256 amount) external returns (uint256 received, uint256 earned) {
        return _sell(market, amount, msg.sender);
    }

    /// Sells the tokens that were sent here.
    function settle(Market calldata market) external returns (uint256 received, uint256 earned) {
        return _sell(market, IToken(market.token).balanceOf(address(this)), address(this));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (Market memory market, Order memory order) = abi.decode(data, (Market, Order));
        require(msg.sender == market.manager, "not the manager");
        IPoolManager manager = IPoolManager(market.manager);
        uint256 paid = _pay(manager, order);
        (address token, address base) = (market.token, market.isNative == 1 ? address(0) : market.base);
        (address currency0, address currency1) = token < base ? (token, base) : (base, token);
        bool zeroForOne = order.paid == currency0;
        // One step inside of the lowest and the highest price there is: no limit.
        uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        int256 delta = manager.swap(
            IPoolManager.PoolKey(currency0, currency1, market.fee, market.tickSpacing, market.hooks),
            IPoolManager.Trade(zeroForOne, -int256(paid), limit),
            ""
        );
        // Two amounts in one word, that of currency 0 above that of currency 1: what the caller gains.
        (int256 gain0, int256 gain1) = (delta >> 128, int256(int128(delta)));
        (int256 used, int256 gained) = zeroForOne ? (-gain0, gain1) : (-gain1, gain0);
        if (int256(paid) > used) manager.take(order.paid, order.payer, uint256(int256(paid) - used));
        if (gained > 0) manager.take(order.bought, order.receiver, uint256(gained));
        return abi.encode(used, gained > 0 ? gained : int256(0));
    }

    function _sell(Market calldata market, uint256 amount, address payer)
        private
        returns (uint256 received, uint256 earned)
    {
        if (market.isNative == 0) {
            return _trade(market, Order(market.token, market.base, amount, payer, msg.sender));
        }
        (received, earned) = _trade(market, Order(market.token, address(0), amount, payer, address(this)));
        IWeth(market.base).deposit{value: earned}();
        IWeth(market.base).transfer(msg.sender, earned);
    }

    function _trade(Market calldata market, Order memory order) private returns (uint256 used, uint256 gained) {
        if (order.amount == 0) return (0, 0);
        return abi.decode(IPoolManager(market.manager).unlock(abi.encode(market, order)), (uint256, uint256));
    }

    function _pay(IPoolManager manager, Order memory order) private returns (uint256) {
        if (order.paid == address(0)) return manager.settle{value: order.amount}();
        manager.sync(order.paid);
        (bool done, bytes memory answer) = order.paid.call(
            order.payer == address(this)
                ? abi.encodeWithSignature("transfer(address,uint256)", manager, order.amount)
                : abi.encodeWithSignature("transferFrom(address,address,uint256)", order.payer, manager, order.amount)
        );
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        require(answer.length == 0 || abi.decode(answer, (bool)), "the transfer answers false");
        return manager.settle();
    }

    function _currency(Market calldata market) private pure returns (address) {
        return market.isNative == 1 ? address(0) : market.base;
    }

    /// The base side of the liquidity at the price, as if it reached over all prices; a fifth of a coin where tokens alone are offered, as in
    /// SimulatedConcentratedRouter. A purchase takes no more than there is, whatever it offers.
    function _baseAtPrice(Market calldata market) private view returns (uint256) {
        address base = _currency(market);
        (address currency0, address currency1) = base < market.token ? (base, market.token) : (market.token, base);
        bytes32 id = keccak256(abi.encode(currency0, currency1, market.fee, market.tickSpacing, market.hooks));
        // Pools are a mapping in slot 6 of the manager; price and tick come first, three words on the liquidity (StateLibrary of v4-core).
        bytes32 place = keccak256(abi.encode(id, uint256(6)));
        IPoolManager manager = IPoolManager(market.manager);
        uint256 price = uint160(uint256(manager.extsload(place)));
        uint256 liquidity = uint128(uint256(manager.extsload(bytes32(uint256(place) + 3))));
        if (price == 0) return 0;
        uint256 atPrice = base < market.token ? (liquidity << 96) / price : liquidity * (price >> 32) >> 64;
        return atPrice == 0 ? 0.2 ether : atPrice;
    }
}
