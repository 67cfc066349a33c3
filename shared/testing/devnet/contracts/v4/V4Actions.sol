// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct Range {
    int24 lower;
    int24 upper;
    int256 liquidityDelta;
    bytes32 salt;
}

struct Trade {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function modifyLiquidity(PoolKey calldata key, Range calldata range, bytes calldata hookData)
        external
        returns (int256 delta, int256 fees);
    function swap(PoolKey calldata key, Trade calldata trade, bytes calldata hookData) external returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
}

interface IPaid {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Positions and trades in Uniswap V4 for whoever calls, as its position manager and its routers make them: unlock, act, pay what is owed,
/// take what is due. Positions belong to this contract, each caller's under a salt of its own. The native currency is address zero.
contract V4Actions {
    IPoolManager private immutable _manager;

    constructor(address manager) {
        _manager = IPoolManager(manager);
    }

    receive() external payable {}

    function modify(PoolKey calldata key, int24 lower, int24 upper, int256 liquidityDelta) external payable {
        Range memory range = Range(lower, upper, liquidityDelta, bytes32(uint256(uint160(msg.sender))));
        _act(key, abi.encodeCall(IPoolManager.modifyLiquidity, (key, range, "")));
    }

    function trade(PoolKey calldata key, bool zeroForOne, uint256 amountIn) external payable {
        // One step inside of the lowest and the highest price there is: no limit.
        uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        _act(key, abi.encodeCall(IPoolManager.swap, (key, Trade(zeroForOne, -int256(amountIn), limit), "")));
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(_manager), "not the manager");
        (address payer, PoolKey memory key, bytes memory action) = abi.decode(data, (address, PoolKey, bytes));
        (bool done, bytes memory answer) = address(_manager).call(action);
        if (!done) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
        // Two amounts in one word: that of currency 0 above that of currency 1.
        (int256 delta) = abi.decode(answer, (int256));
        _even(key.currency0, payer, delta >> 128);
        _even(key.currency1, payer, int128(delta));
        return "";
    }

    function _act(PoolKey calldata key, bytes memory action) private {
        _manager.unlock(abi.encode(msg.sender, key, action));
        (bool done,) = msg.sender.call{value: address(this).balance}("");
        require(done, "no change taken");
    }

    function _even(address currency, address payer, int256 amount) private {
        if (amount > 0) _manager.take(currency, payer, uint256(amount));
        if (amount >= 0) return;
        if (currency == address(0)) {
            _manager.settle{value: uint256(-amount)}();
            return;
        }
        _manager.sync(currency);
        require(IPaid(currency).transferFrom(payer, address(_manager), uint256(-amount)), "not paid");
        _manager.settle();
    }
}
