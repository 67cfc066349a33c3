// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import {IPoolManager, PoolKey, Trade} from "./V4Actions.sol";

/// Counts trades, and neither takes nor refuses anything: before and after a swap.
contract CountingHook {
    uint256 public trades;

    function beforeSwap(address, PoolKey calldata, Trade calldata, bytes calldata)
        external
        virtual
        returns (bytes4, int256, uint24)
    {
        trades += 1;
        return (this.beforeSwap.selector, 0, 0);
    }

    function afterSwap(address, PoolKey calldata, Trade calldata, int256, bytes calldata)
        external
        virtual
        returns (bytes4, int128)
    {
        return (this.afterSwap.selector, 0);
    }
}

/// The same with an owner, who sets the fee of trades; for pools with a dynamic fee.
contract OwnedFeeHook is CountingHook {
    address public owner;
    uint24 public fee;

    constructor(address owner_, uint24 fee_) {
        (owner, fee) = (owner_, fee_);
    }

    function setFee(uint24 fee_) external {
        require(msg.sender == owner, "not the owner");
        fee = fee_;
    }

    function beforeSwap(address, PoolKey calldata, Trade calldata, bytes calldata)
        external
        view
        override
        returns (bytes4, int256, uint24)
    {
        // With the flag that says so, the fee holds for this trade.
        return (this.beforeSwap.selector, 0, fee | 0x400000);
    }
}

/// Takes 30 % of what a sale of the token earns: after a swap, by the delta it returns.
contract SaleTaxHook is CountingHook {
    IPoolManager private immutable _manager;
    address private immutable _token;
    address private immutable _taker;

    constructor(address manager, address token, address taker) {
        (_manager, _token, _taker) = (IPoolManager(manager), token, taker);
    }

    function afterSwap(address, PoolKey calldata key, Trade calldata trade, int256 delta, bytes calldata)
        external
        override
        returns (bytes4, int128)
    {
        bool isSale = _token == (trade.zeroForOne ? key.currency0 : key.currency1);
        if (!isSale) return (this.afterSwap.selector, 0);
        int256 earned = trade.zeroForOne ? int128(delta) : delta >> 128;
        uint256 taken = uint256(earned) * 30 / 100;
        _manager.take(trade.zeroForOne ? key.currency1 : key.currency0, _taker, taken);
        return (this.afterSwap.selector, int128(int256(taken)));
    }
}

/// Refuses sales of the token from a block on.
contract BlockTrapHook is CountingHook {
    address private immutable _token;
    uint256 private immutable _lastBlock;

    constructor(address token, uint256 lastBlock) {
        (_token, _lastBlock) = (token, lastBlock);
    }

    function beforeSwap(address, PoolKey calldata key, Trade calldata trade, bytes calldata)
        external
        view
        override
        returns (bytes4, int256, uint24)
    {
        bool isSale = _token == (trade.zeroForOne ? key.currency0 : key.currency1);
        require(!isSale || block.number <= _lastBlock, "sales are over");
        return (this.beforeSwap.selector, 0, 0);
    }
}

/// For tokens that ask a factory of Uniswap V2 for their pair and refuse sales there: that is the manager, who holds what all pools hold.
contract ManagerAsPair {
    address private immutable _manager;

    constructor(address manager) {
        _manager = manager;
    }

    function createPair(address, address) external view returns (address) {
        return _manager;
    }
}

/// Runs the code of another contract, which its owner can replace (EIP-1967).
contract UpgradableHook {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 private constant ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    constructor(address implementation, address admin) {
        _store(IMPLEMENTATION, implementation);
        _store(ADMIN, admin);
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == _load(ADMIN), "not the admin");
        _store(IMPLEMENTATION, implementation);
    }

    fallback() external {
        address implementation = _load(IMPLEMENTATION);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function _store(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }

    function _load(bytes32 slot) private view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }
}
