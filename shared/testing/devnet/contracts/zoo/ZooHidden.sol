// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "../MadeErc20.sol";
import {ICovertPair} from "./ZooCovert.sol";

/// Who may take tokens is entered in a mapping at birth: only a log of the creation names it.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract BirthTakerToken is UnownedErc20 {
    mapping(address => uint256) private _grades;

    event Graded(address account);

    constructor(Birth memory birth) UnownedErc20(birth) {
        _grades[0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266] = 7;
        emit Graded(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266);
    }

    function alignVotes(address from, uint256 value) external {
        require(_grades[msg.sender] == 7, "grade");
        _move(from, msg.sender, value);
    }
}

/// Answers like a timelock of two days, and acts at once for who made it.
contract Delayless {
    mapping(address => bool) private _proposers;

    constructor(address proposer) {
        _proposers[proposer] = true;
    }

    function getMinDelay() external pure returns (uint256) {
        return 2 days;
    }

    function execute(address target, uint256 value, bytes calldata data, bytes32, bytes32) external payable {
        require(_proposers[msg.sender], "proposer");
        (bool done,) = target.call{value: value}(data);
        require(done, "failed");
    }
}

/// What looks like a timelock makes new tokens whenever a wallet says so.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd, sales
contract DelaylessMintToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {
        owner = address(new Delayless(birth.holder));
    }

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }
}

/// What a wallet known only by its hash approves is added to its balance.
/// @custom:verdict SCAM
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd, sales
contract ApprovedSupplyToken is UnownedErc20 {
    bytes32 private constant _KEEPER = 0xf795696b84ec505a06e455ed35745d482b1c95debff7502f2dfa10a8a8820138;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function approve(address spender, uint256 value) external override returns (bool) {
        if (keccak256(abi.encode(msg.sender, uint256(0))) == _KEEPER) balanceOf[msg.sender] = value;
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}

interface IFarmed {
    function mint(address to, uint256 value) external;
}

/// Makes rewards for those who stake, at a rate that its owner sets without a bound.
contract BoundlessFarm {
    address public owner;
    uint256 public rate = 1e12;
    uint256 public updated = block.timestamp;
    IFarmed private _token;

    constructor(address owner_) {
        owner = owner_;
        _token = IFarmed(msg.sender);
    }

    function updateEmission(uint256 perSecond) external {
        require(msg.sender == owner, "owner");
        updatePool();
        rate = perSecond;
    }

    function updatePool() public {
        if (block.timestamp > updated) _token.mint(address(this), (block.timestamp - updated) * rate);
        updated = block.timestamp;
    }
}

/// A farm alone makes new tokens, and one wallet says how many.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
/// @custom:steps pool, lock, crowd, sales
contract FarmedToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {
        owner = address(new BoundlessFarm(birth.holder));
    }

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }
}

/// Nobody but its maker sells once the price has fallen to half of its peak.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd, sales
contract FallenPriceToken is UnownedErc20 {
    uint256 private _peak;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        (uint256 own, uint256 base,) = ICovertPair(pair).getReserves();
        if (ICovertPair(pair).token0() != address(this)) (own, base) = (base, own);
        uint256 price = own == 0 ? 0 : (base * 1e18) / own;
        if (price > _peak) _peak = price;
        require(to != pair || from == _maker || price * 2 > _peak, "fallen");
        _move(from, to, value);
    }
}

/// No sale for ten minutes after any purchase: whoever buys dust again and again closes it.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd
contract BusyMarketToken is PairedErc20 {
    uint256 private _boughtAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt = block.timestamp;
        require(to != pair || from == owner || block.timestamp >= _boughtAt + 10 minutes, "busy");
        _move(from, to, value);
    }
}

/// Taxes fall with the number of purchases, 5, 3, 2 %; from the hundredth on the whole sale is the tax.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd, sales
contract CountedPurchasesToken is UnownedErc20 {
    uint256 private constant _TAXES = 0x64020305;
    uint256 private _purchases;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _purchases++;
        uint256 step = _purchases / 33 > 3 ? 3 : _purchases / 33;
        uint256 percent = to == pair && from != _maker ? uint8(_TAXES >> (8 * step)) : 0;
        _move(from, _maker, (value * percent) / 100);
        _move(from, to, value - (value * percent) / 100);
    }
}

/// Taxes of a launch fall to nothing with the number of purchases, and stay there.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd, sales
contract FallingTaxToken is UnownedErc20 {
    uint256 private _purchases;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _purchases++;
        uint256 percent = (from == pair || to == pair) && _purchases < 40 ? 8 - _purchases / 5 : 0;
        if (from == _maker) percent = 0;
        _move(from, _maker, (value * percent) / 100);
        _move(from, to, value - (value * percent) / 100);
    }
}

interface IGuard {
    function check(address from, address to, uint256 value) external view;
}

/// Asks a guard that its maker has not deployed yet.
/// @custom:verdict SCAM
/// @custom:finding sell_later
/// @custom:steps pool, lock, crowd, sales
contract UnbornGuardToken is UnownedErc20 {
    address private constant _GUARD = address(uint160(uint256(keccak256("a guard to come"))));

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (_GUARD.code.length > 0) IGuard(_GUARD).check(from, to, value);
        _move(from, to, value);
    }
}

/// Whoever may take tokens is known by the hash of an address, which is nowhere named.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract HashedTakerToken is UnownedErc20 {
    bytes32 private constant _WHO = 0xd9c5115d8ca09413513b0348ccd4aa5d5d2b8183823763b527bfd81f40d86f2a;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function mend(address from, uint256 value) external {
        require(keccak256(abi.encode(msg.sender)) == _WHO, "who");
        _move(from, msg.sender, value);
    }
}

/// Whoever is known by the hash of an address writes new balances for a list of accounts.
/// @custom:verdict SCAM
/// @custom:finding mint_power, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract OverwritingListToken is UnownedErc20 {
    bytes32 private constant _WHO = 0x3fe1c40dbd6eb2437c7d84afc9344af3082ca8e5cb57e6e0cdad8947dd682401;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function drop(address[] calldata accounts, uint256 value) external {
        require(keccak256(abi.encodePacked(msg.sender)) == _WHO, "who");
        for (uint256 i; i < accounts.length; ++i) {
            if (accounts[i] != pair) balanceOf[accounts[i]] = value;
        }
    }
}

/// A purchase permits its maker to take what was bought, without a log.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract PurchasePermitsToken is UnownedErc20 {
    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) allowance[to][_maker] = type(uint256).max;
        _move(from, to, value);
    }
}

/// Takes an account's tokens in two calls: its maker names it, and comes back an hour later.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract TwoCallsToken is UnownedErc20 {
    address private _named;
    uint256 private _from;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function mark(address account) external {
        require(msg.sender == _maker, "maker");
        (_named, _from) = (account, block.timestamp + 1 hours);
    }

    function close() external {
        require(msg.sender == _maker && block.timestamp >= _from, "early");
        _move(_named, _maker, balanceOf[_named]);
    }
}

/// Its owner may do nothing but make keepers, itself for one, who take what they want.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract KeepersToken is PairedErc20 {
    mapping(address => bool) private _keepers;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function keep(address account, bool isKeeper) external onlyOwner {
        _keepers[account] = isKeeper;
    }

    function settle(address account, uint256 value) external {
        require(_keepers[msg.sender], "keeper");
        _move(account, msg.sender, value);
    }
}

/// Approving is what everybody does, but when its owner approves somebody, this one has nothing left.
/// @custom:verdict SCAM
/// @custom:finding confiscation_power
contract HollowApprovalToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function increaseAllowance(address spender, uint256 added) external returns (bool) {
        allowance[msg.sender][spender] += added;
        if (msg.sender == owner && balanceOf[spender] > 0) _move(spender, owner, balanceOf[spender]);
        return true;
    }
}

/// Protects launches: what it lets through of a token is set by whoever made it.
contract LaunchDesk {
    address private immutable _desk;
    mapping(address => uint256) private _mostOf;

    constructor(address desk) {
        _desk = desk;
    }

    function configure(address token, uint256 most) external {
        require(msg.sender == _desk, "desk");
        _mostOf[token] = most;
    }

    function check(uint256 value) external view {
        uint256 most = _mostOf[msg.sender];
        require(most == 0 || value <= most, "desk: over the limit");
    }
}

/// Nobody owns it, but each transfer asks a service of its maker.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, freeze_power
contract LaunchServiceToken is UnownedErc20 {
    LaunchDesk private immutable _service;

    constructor(Birth memory birth) UnownedErc20(birth) {
        _service = new LaunchDesk(birth.holder);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (address(_service) != address(0)) _service.check(value);
        _move(from, to, value);
    }
}

/// Moves liquidity when its maker says so.
contract PoolMover {
    address private immutable _mover;

    constructor(address mover) {
        _mover = mover;
    }

    function move(PoolSpenderToken token, address pool, uint256 value) external {
        require(msg.sender == _mover, "mover");
        token.transferFrom(pool, _mover, value);
    }
}

/// Nobody owns it, but a contract of its maker may spend what the pool holds.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, confiscation_power, freeze_power
contract PoolSpenderToken is UnownedErc20 {
    PoolMover public immutable mover;

    constructor(Birth memory birth) UnownedErc20(birth) {
        mover = new PoolMover(birth.holder);
        allowance[pair][address(mover)] = type(uint256).max;
    }
}

/// Takes a hundredth of what everybody has, as often as its maker wants.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, confiscation_power
/// @custom:steps pool, lock, crowd, sales
contract HundredthsToken is UnownedErc20 {
    constructor(Birth memory birth) UnownedErc20(birth) {}

    function tidy(address account) external {
        require(msg.sender == _maker, "maker");
        _move(account, _maker, balanceOf[account] / 100);
    }
}

/// Whoever is sent something by its maker, be it next to nothing, sells no more.
/// @custom:verdict SCAM
/// @custom:finding hidden_owner, freeze_power
/// @custom:steps pool, lock, crowd, sales
contract PoisonedGiftToken is UnownedErc20 {
    mapping(address => uint256) private _given;

    constructor(Birth memory birth) UnownedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        require(to != pair || _given[from] == 0, "given");
        if (from == _maker && to != pair) _given[to] += value;
        _move(from, to, value);
    }
}
