// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../BareErc20.sol";
import {Birth} from "../PairedErc20.sol";

/// The code behind the proxies of the zoo: an honest token whose state is set once, by `initialize`.
contract Implementation is BareErc20 {
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function initialize(Birth memory birth) external {
        require(totalSupply == 0, "initialized");
        totalSupply = birth.supply;
        balanceOf[birth.holder] = birth.supply;
        _begin(birth);
    }

    function _move(address from, address to, uint256 value) internal override {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// What all proxies do at birth and at every call.
abstract contract Proxy {
    function _start(address target, Birth memory birth) internal {
        (bool done,) = target.delegatecall(abi.encodeCall(Implementation.initialize, (birth)));
        require(done, "initialize");
    }

    function _store(bytes32 slot, address value) internal {
        assembly {
            sstore(slot, value)
        }
    }

    function _load(bytes32 slot) internal view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }

    function _implementation() internal view virtual returns (address);

    fallback() external payable {
        address target = _implementation();
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

bytes32 constant EIP1967_SLOT = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
bytes32 constant EIP1967_ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

/// A proxy whose storage names the code in a slot of its own.
abstract contract SlotProxy is Proxy {
    bytes32 private immutable _slot;

    constructor(bytes32 slot) {
        _slot = slot;
    }

    function _become(address target, Birth memory birth) internal {
        _store(_slot, target);
        _start(target, birth);
    }

    function _implementation() internal view override returns (address) {
        return _load(_slot);
    }
}

/// EIP-1967. One wallet can replace its code.
/// @custom:verdict LEGIT
/// @custom:finding proxy
contract Eip1967Token is SlotProxy {
    constructor(Birth memory birth) SlotProxy(EIP1967_SLOT) {
        _store(EIP1967_ADMIN, birth.holder);
        _become(address(new Implementation()), birth);
    }
}

/// May replace the code of proxies for its owner, as `ProxyAdmin` of OpenZeppelin does.
contract ProxyAdmin {
    address public owner;

    constructor(address owner_) {
        owner = owner_;
    }
}

/// EIP-1967, replaced through a contract that one wallet owns.
/// @custom:verdict LEGIT
/// @custom:finding proxy
contract OwnedAdminToken is SlotProxy {
    constructor(Birth memory birth) SlotProxy(EIP1967_SLOT) {
        _store(EIP1967_ADMIN, address(new ProxyAdmin(birth.holder)));
        _become(address(new Implementation()), birth);
    }
}

/// EIP-1822 on the slot of EIP-1967: the code itself replaces the code.
contract UupsImplementation is Implementation {
    address private _upgrader;

    function setUpgrader(address upgrader) external {
        require(_upgrader == address(0), "set");
        _upgrader = upgrader;
    }

    function proxiableUUID() external pure returns (bytes32) {
        return EIP1967_SLOT;
    }

    function upgradeTo(address target) external {
        require(msg.sender == _upgrader, "upgrader");
        bytes32 slot = EIP1967_SLOT;
        assembly {
            sstore(slot, target)
        }
    }
}

/// Its maker can replace its code, which no owner() and no admin shows.
/// @custom:verdict LEGIT
/// @custom:finding proxy
contract UupsToken is SlotProxy {
    constructor(Birth memory birth) SlotProxy(EIP1967_SLOT) {
        address target = address(new UupsImplementation());
        _become(target, birth);
        (bool done,) = target.delegatecall(abi.encodeCall(UupsImplementation.setUpgrader, (birth.holder)));
        require(done, "upgrader");
    }
}

/// As OpenZeppelin made proxies before EIP-1967.
/// @custom:verdict LEGIT
contract ZeppelinToken is SlotProxy {
    constructor(Birth memory birth) SlotProxy(keccak256("org.zeppelinos.proxy.implementation")) {
        _become(address(new Implementation()), birth);
    }
}

contract Beacon {
    address public immutable implementation;

    constructor(address target) {
        implementation = target;
    }
}

/// EIP-1967, with a beacon that names the code.
/// @custom:verdict LEGIT
contract BeaconToken is Proxy {
    bytes32 private constant SLOT = bytes32(uint256(keccak256("eip1967.proxy.beacon")) - 1);

    constructor(Birth memory birth) {
        address target = address(new Implementation());
        _store(SLOT, address(new Beacon(target)));
        _start(target, birth);
    }

    function _implementation() internal view override returns (address) {
        return Beacon(_load(SLOT)).implementation();
    }
}

/// EIP-1167: the code that its constructor leaves is the minimal proxy.
/// @custom:verdict LEGIT
contract MinimalProxyToken is Proxy {
    constructor(Birth memory birth) {
        address target = address(new Implementation());
        _start(target, birth);
        bytes memory code =
            abi.encodePacked(hex"363d3d373d3d3d363d73", target, hex"5af43d82803e903d91602b57fd5bf3");
        assembly {
            return(add(code, 32), mload(code))
        }
    }

    function _implementation() internal pure override returns (address) {
        return address(0);
    }
}
