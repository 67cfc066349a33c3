// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function balanceOf(address holder) external view returns (uint256);
}

interface IPositions {
    function transferFrom(address from, address to, uint256 id) external;
}

struct Lock {
    address asset;
    address owner;
    uint256 amount;
    uint256 unlockAt;
}

/// Logs as UNCX does for pools of Uniswap V2, and keeps its word.
contract HonestLocker {
    event onNewLock(uint256 lockID, address lpToken, address owner, uint256 amount, uint256 lockDate, uint256 unlockDate, uint16 countryCode);
    event onRelock(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 liquidityFee, uint256 unlockDate);
    event onWithdraw(uint256 lockID, address lpToken, address owner, uint256 amountRemainingInLock, uint256 amountRemoved);

    mapping(uint256 => Lock) public locks;
    uint256 public count;
    address public owner = msg.sender;
    uint256 public fee;

    function setFee(uint256 fee_) external {
        require(msg.sender == owner, "OWNER");
        fee = fee_;
    }

    function lock(address asset, uint256 amount, uint256 unlockAt) external returns (uint256 id) {
        IToken(asset).transferFrom(msg.sender, address(this), amount);
        id = ++count;
        locks[id] = Lock(asset, msg.sender, amount, unlockAt);
        emit onNewLock(id, asset, msg.sender, amount, block.timestamp, unlockAt, 0);
    }

    function relock(uint256 id, uint256 unlockAt) external {
        Lock storage found = locks[id];
        require(found.owner == msg.sender && unlockAt > found.unlockAt, "RELOCK");
        found.unlockAt = unlockAt;
        emit onRelock(id, found.asset, msg.sender, found.amount, 0, unlockAt);
    }

    function withdraw(uint256 id, uint256 amount) external virtual {
        require(isOpen(id), "NOT YET");
        pay(id, amount);
    }

    function isOpen(uint256 id) internal view virtual returns (bool) {
        return block.timestamp >= locks[id].unlockAt;
    }

    function pay(uint256 id, uint256 amount) internal {
        Lock storage found = locks[id];
        require(found.owner == msg.sender, "NOT OWNER");
        found.amount -= amount;
        IToken(found.asset).transfer(msg.sender, amount);
        emit onWithdraw(id, found.asset, msg.sender, found.amount, amount);
    }
}

/// Its locks can be opened at any time.
contract OpenLocker is HonestLocker {
    function isOpen(uint256) internal pure override returns (bool) {
        return true;
    }
}

/// Its deployer has an exit, which no log shows.
contract EmergencyLocker is HonestLocker {
    address private immutable rescuer = msg.sender;

    function rescue(address asset) external {
        require(msg.sender == rescuer, "RESCUER");
        IToken(asset).transfer(msg.sender, IToken(asset).balanceOf(address(this)));
    }
}

/// Its owner can turn the clock off first, then withdraw.
contract SwitchLocker is HonestLocker {
    bool private isOff;

    function turnOff() external {
        require(msg.sender == owner, "OWNER");
        isOff = true;
    }

    function isOpen(uint256 id) internal view override returns (bool) {
        return isOff || super.isOpen(id);
    }
}

/// Says that it locks for longer than it does.
contract ShortLocker is HonestLocker {
    function isOpen(uint256 id) internal view override returns (bool) {
        return block.timestamp + 300 days >= locks[id].unlockAt;
    }
}

/// Logs as PinkLock does, and keeps its word.
contract SupplyLocker {
    event LockAdded(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockDate);
    event LockRemoved(uint256 indexed id, address token, address owner, uint256 amount, uint256 unlockedAt);

    Lock[] private locks;

    function lock(address asset, uint256 amount, uint256 unlockAt) external virtual {
        IToken(asset).transferFrom(msg.sender, address(this), amount);
        emit LockAdded(locks.length, asset, msg.sender, amount, unlockAt);
        locks.push(Lock(asset, msg.sender, amount, unlockAt));
    }

    function unlock(uint256 id) external {
        Lock memory found = locks[id];
        require(found.owner == msg.sender && block.timestamp >= found.unlockAt, "LOCKED");
        delete locks[id];
        IToken(found.asset).transfer(msg.sender, found.amount);
        emit LockRemoved(id, found.asset, msg.sender, found.amount, block.timestamp);
    }
}

/// Logs a lock, and locks nothing.
contract EmptyLocker is SupplyLocker {
    function lock(address asset, uint256 amount, uint256 unlockAt) external override {
        emit LockAdded(0, asset, msg.sender, amount, unlockAt);
    }
}

/// Logs as Team Finance does for positions of V3, and keeps its word.
contract PositionLocker {
    event DepositNFT(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress, uint256 amount, uint256 unlockTime);
    event LogNFTWithdrawal(uint256 id, address indexed tokenAddress, uint256 tokenId, address indexed withdrawalAddress, uint256 amount);
    event LockDurationExtended(uint256 id, uint256 unlockTime);

    struct Position {
        address manager;
        uint256 id;
        address owner;
        uint256 unlockAt;
    }

    Position[] private locks;

    function lockPosition(address manager, uint256 id, uint256 unlockAt) external {
        IPositions(manager).transferFrom(msg.sender, address(this), id);
        locks.push(Position(manager, id, msg.sender, unlockAt));
        emit DepositNFT(locks.length - 1, manager, id, msg.sender, 1, unlockAt);
    }

    function extendLockDuration(uint256 lockId, uint256 unlockAt) external {
        require(locks[lockId].owner == msg.sender && unlockAt > locks[lockId].unlockAt, "EXTEND");
        locks[lockId].unlockAt = unlockAt;
        emit LockDurationExtended(lockId, unlockAt);
    }

    function withdrawTokens(uint256 lockId) external {
        Position memory found = locks[lockId];
        require(found.owner == msg.sender && isOpen(found.unlockAt), "LOCKED");
        IPositions(found.manager).transferFrom(address(this), msg.sender, found.id);
        emit LogNFTWithdrawal(lockId, found.manager, found.id, msg.sender, 1);
    }

    function isOpen(uint256 unlockAt) internal view virtual returns (bool) {
        return block.timestamp >= unlockAt;
    }
}

/// Gives a position back at any time.
contract OpenPositionLocker is PositionLocker {
    function isOpen(uint256) internal pure override returns (bool) {
        return true;
    }
}
