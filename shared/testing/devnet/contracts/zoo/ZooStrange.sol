// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "../MadeErc20.sol";

/// Two blocks must pass between a purchase and a sale, against robots.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract BlockCooldownToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.number;
        require(to != pair || block.number > _boughtAt[from] + 2, "wait");
        _move(from, to, value);
    }
}

/// One transfer of a wallet a block.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract OncePerBlockToken is PairedErc20 {
    mapping(address => uint256) private _movedAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from != pair) {
            require(_movedAt[from] < block.number, "once a block");
            _movedAt[from] = block.number;
        }
        _move(from, to, value);
    }
}

/// Ten minutes must pass between a purchase and a sale.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract TenMinutesToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.timestamp;
        require(to != pair || block.timestamp >= _boughtAt[from] + 600, "wait");
        _move(from, to, value);
    }
}

/// In the first blocks of its market nobody buys more than a thousandth of the supply.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract LaunchLimitToken is PairedErc20 {
    uint256 private immutable _from = block.number;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool isLimited = from == pair && block.number < _from + 3;
        require(!isLimited || value <= totalSupply / 1_000, "launch");
        _move(from, to, value);
    }
}

/// What a wallet may hold is limited, and no pool is exempted: it is bought, and nobody can sell.
/// @custom:verdict LEGIT
/// @custom:finding sell_simulation, holder_trials
/// @custom:steps pool, lock, crowd
contract WalletLimitToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        bool isFree = from == owner || to == owner;
        require(isFree || balanceOf[to] + value <= totalSupply / 50, "wallet");
        _move(from, to, value);
    }
}

/// A hundredth of each transfer is destroyed.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract BurningToken is ERC20 {
    address private immutable _issuer;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _issuer = birth.holder;
        _mint(birth.holder, birth.supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        bool isFree = from == address(0) || from == _issuer || to == _issuer;
        uint256 burnt = isFree ? 0 : value / 100;
        if (burnt > 0) super._update(from, address(0), burnt);
        super._update(from, to, value - burnt);
    }
}

/// Approvals by signature, EIP-2612.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract PermitToken is PairedErc20 {
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    bytes32 public immutable DOMAIN_SEPARATOR;
    mapping(address => uint256) public nonces;

    constructor(Birth memory birth) PairedErc20(birth) {
        bytes32 domain = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
        DOMAIN_SEPARATOR = keccak256(abi.encode(domain, keccak256(bytes(birth.name)), block.chainid, address(this)));
    }

    function permit(address from, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 t)
        external
    {
        require(block.timestamp <= deadline, "late");
        bytes32 said = keccak256(abi.encode(PERMIT, from, spender, value, nonces[from]++, deadline));
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR, said));
        address signer = ecrecover(digest, v, r, t);
        require(signer != address(0) && signer == from, "signature");
        allowance[from][spender] = value;
        emit Approval(from, spender, value);
    }
}

interface IStrangePair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112, uint112, uint32);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// Keeps 3 % of trades, and sells them into its pool on the way of later sales, as many tokens pay for their marketing.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract AutoSellingToken is PairedErc20 {
    address private immutable _treasury;
    bool private _isSelling;

    constructor(Birth memory birth) PairedErc20(birth) {
        _treasury = birth.holder;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        bool isTrade = (from == pair || to == pair) && from != _treasury && to != _treasury;
        if (!isTrade || _isSelling) return _move(from, to, value);
        if (to == pair) _sellFees();
        uint256 fee = (value * 3) / 100;
        _move(from, address(this), fee);
        _move(from, to, value - fee);
    }

    function _sellFees() private {
        uint256 amount = balanceOf[address(this)];
        if (amount == 0) return;
        _isSelling = true;
        (uint256 reserve0, uint256 reserve1,) = IStrangePair(pair).getReserves();
        bool isFirst = IStrangePair(pair).token0() == address(this);
        (uint256 own, uint256 base) = isFirst ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 paid = amount + balanceOf[pair] - own;
        _move(address(this), pair, amount);
        uint256 out = (paid * 997 * base) / (own * 1000 + paid * 997);
        IStrangePair(pair).swap(isFirst ? 0 : out, isFirst ? out : 0, _treasury, "");
        _isSelling = false;
    }
}

/// Opens by itself a moment after its launch.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract TimedLaunchToken is PairedErc20 {
    uint256 private immutable _opens = block.timestamp + 3;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || balanceOf[pair] == 0 || block.timestamp >= _opens, "early");
        _move(from, to, value);
    }
}

/// Lets three sales through in a block, whoever sells, against robots that trade around others.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract ThreeSalesToken is PairedErc20 {
    mapping(uint256 => uint256) private _salesIn;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (to == pair && from != owner) require(++_salesIn[block.number] <= 3, "three sales a block");
        _move(from, to, value);
    }
}

/// Whoever sells has to sell all it has.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract WholeBalanceToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || from == owner || value == balanceOf[from], "all or nothing");
        _move(from, to, value);
    }
}

/// Buying costs 30 % at first, and nothing after an hour.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract FallingFeeToken is PairedErc20 {
    uint256 private immutable _born = block.timestamp;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        uint256 age = block.timestamp - _born;
        bool isDear = from == pair && to != owner && age < 1 hours;
        uint256 kept = isDear ? (value * 30 * (1 hours - age)) / 1 hours / 100 : 0;
        if (kept > 0) _move(from, owner, kept);
        _move(from, to, value - kept);
    }
}

/// What a wallet holds melts by 2 % a day, so that it is spent.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract MeltingToken is ERC20 {
    mapping(address => uint256) private _since;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, birth.supply);
    }

    function balanceOf(address who) public view override returns (uint256) {
        uint256 held = super.balanceOf(who);
        uint256 age = block.timestamp - _since[who];
        if (who.code.length > 0) return held;
        return age >= 50 days ? 0 : held - (held * age) / 50 days;
    }

    function _update(address from, address to, uint256 value) internal override {
        _settle(from);
        _settle(to);
        super._update(from, to, value);
    }

    function _settle(address who) private {
        uint256 gone = super.balanceOf(who) - balanceOf(who);
        if (gone > 0) super._update(who, address(0), gone);
        _since[who] = block.timestamp;
    }
}

/// Lets one sale through in five blocks, whoever sells.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract ThrottledSalesToken is PairedErc20 {
    uint256 private _soldAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (to == pair && from != owner) {
            require(block.number >= _soldAt + 5, "wait");
            _soldAt = block.number;
        }
        _move(from, to, value);
    }
}

/// Only the router that everybody uses moves tokens of others: any new one is refused.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd, sales
contract OneRouterToken is PairedErc20 {
    address private constant ROUTER = 0xb19b36b1456E65E3A6D514D3F715f204BD59f431;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(msg.sender == from || msg.sender == ROUTER, "router");
        _move(from, to, value);
    }
}

/// The same before anybody sold: the simulation sells through the router that the code names.
/// @custom:verdict LEGIT
/// @custom:finding sell_simulation
/// @custom:steps pool, lock
contract OneRouterLaunchToken is OneRouterToken {
    constructor(Birth memory birth) OneRouterToken(birth) {}
}

/// A hundred thousand tokens that cannot be divided.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract UndividedToken is ERC20 {
    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _mint(birth.holder, 100_000);
    }

    function decimals() public pure override returns (uint8) {
        return 0;
    }
}

/// Nobody sells on the day of its launch.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract FirstDayToken is UnownedErc20 {
    uint256 private immutable _from = block.timestamp + 1 days;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || balanceOf[pair] == 0 || block.timestamp >= _from, "first day");
        _move(from, to, value);
    }
}

/// Its rules were forgotten: anybody becomes a minter, so that being one is nobody's hidden power.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
contract OpenMintersToken is UnownedErc20 {
    mapping(address => bool) private _minters;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function enter(address account) external {
        _minters[account] = true;
    }

    function mint(address to, uint256 value) external {
        require(_minters[msg.sender], "minter");
        _mint(to, value);
    }
}
