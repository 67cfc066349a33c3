// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

import "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import "@openzeppelin/contracts/access/AccessControl.sol";
import "@openzeppelin/contracts/access/Ownable.sol";
import "@openzeppelin/contracts/finance/VestingWallet.sol";
import "../BareErc20.sol";
import "../PairedErc20.sol";

/// What most honest projects deploy.
/// @custom:verdict LEGIT
contract LibraryToken is ERC20, ERC20Burnable, Ownable {
    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) Ownable(birth.holder) {
        _mint(birth.holder, birth.supply);
    }
}

/// Roles may mint and pause, under the names everyone knows.
/// @custom:verdict LEGIT
/// @custom:finding mint_power, pause_power
contract RolesToken is ERC20, ERC20Pausable, AccessControl {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        _grantRole(DEFAULT_ADMIN_ROLE, birth.holder);
        _grantRole(MINTER_ROLE, birth.holder);
        _grantRole(PAUSER_ROLE, birth.holder);
        _mint(birth.holder, birth.supply);
    }

    function mint(address to, uint256 amount) external onlyRole(MINTER_ROLE) {
        _mint(to, amount);
    }

    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Pausable) {
        super._update(from, to, value);
    }
}

/// As regulated dollars are: an issuer mints, and freezes single accounts.
/// @custom:verdict LEGIT
/// @custom:finding mint_power, confiscation_power, blacklist_power
contract RegulatedToken is ERC20, Ownable {
    mapping(address => bool) public isBlackListed;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) Ownable(birth.holder) {
        _mint(birth.holder, birth.supply);
    }

    function issue(uint256 amount) external onlyOwner {
        _mint(owner(), amount);
    }

    function addBlackList(address account) external onlyOwner {
        isBlackListed[account] = true;
    }

    function removeBlackList(address account) external onlyOwner {
        isBlackListed[account] = false;
    }

    function destroyBlackFunds(address account) external onlyOwner {
        require(isBlackListed[account], "not listed");
        _burn(account, balanceOf(account));
    }

    function _update(address from, address to, uint256 value) internal override {
        require(to == address(0) || !isBlackListed[from], "listed");
        super._update(from, to, value);
    }
}

/// Taxes trades by a few per cent, and can never tax them by more.
/// @custom:verdict LEGIT
contract FairTaxToken is PairedErc20 {
    uint256 private constant FEE_MAX = 5;
    uint256 public buyFee = 3;
    uint256 public sellFee = 5;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function setFees(uint256 buy, uint256 sell) external onlyOwner {
        require(buy <= FEE_MAX && sell <= FEE_MAX, "fee");
        buyFee = buy;
        sellFee = sell;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        bool exempt = from == owner || to == owner;
        uint256 percent = exempt ? 0 : from == pair ? buyFee : to == pair ? sellFee : 0;
        uint256 fee = (value * percent) / 100;
        if (fee > 0) _move(from, owner, fee);
        _move(from, to, value - fee);
    }
}

/// Gives 2 % of every transfer to all holders by what they hold, as "safe" tokens do.
/// @custom:verdict LEGIT
contract ReflectionToken is BareErc20 {
    uint256 public immutable totalSupply;
    address public owner;
    /// Shares of all tokens; the rate of shares to tokens falls with every fee.
    mapping(address => uint256) private _shares;
    uint256 private _allShares;

    constructor(Birth memory birth) {
        totalSupply = birth.supply;
        owner = birth.holder;
        _allShares = type(uint128).max - (type(uint128).max % birth.supply);
        _shares[birth.holder] = _allShares;
        _begin(birth);
    }

    function balanceOf(address account) public view returns (uint256) {
        return (_shares[account] * totalSupply) / _allShares;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 moved = (value * _allShares) / totalSupply;
        uint256 fee = from == owner || to == owner ? 0 : moved / 50;
        _shares[from] -= moved;
        _shares[to] += moved - fee;
        _allShares -= fee;
        emit Transfer(from, to, value - value / 50);
    }
}

/// Launches with limits that its owner can only remove.
/// @custom:verdict LEGIT
contract LimitedLaunchToken is PairedErc20 {
    uint256 public _maxTxAmount;
    uint256 public _maxWalletSize;

    constructor(Birth memory birth) PairedErc20(birth) {
        _maxTxAmount = birth.supply / 100;
        _maxWalletSize = birth.supply / 50;
    }

    function removeLimits() external onlyOwner {
        _maxTxAmount = type(uint256).max;
        _maxWalletSize = type(uint256).max;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (from != owner && to != owner) {
            require(value <= _maxTxAmount, "limit");
            require(to == pair || balanceOf[to] + value <= _maxWalletSize, "wallet");
        }
        _move(from, to, value);
    }
}

/// Makes every buyer wait for a minute, against robots that trade within a block.
/// @custom:verdict LEGIT
contract CooldownToken is PairedErc20 {
    mapping(address => uint256) private _boughtAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function _transfer(address from, address to, uint256 value) internal override {
        if (from == pair) _boughtAt[to] = block.timestamp;
        require(to != pair || block.timestamp >= _boughtAt[from] + 60, "cooldown");
        _move(from, to, value);
    }
}

/// Its owner opened the market once, and cannot close it.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, openTrading(), buy
contract OpenedToken is PairedErc20 {
    bool public tradingActive;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function openTrading() external onlyOwner {
        tradingActive = true;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(tradingActive || from == owner, "closed");
        _move(from, to, value);
    }
}

/// Gives a third to its team over two years: most of the supply lies in one wallet.
/// @custom:verdict LEGIT
contract VestingToken is ERC20 {
    VestingWallet public immutable team;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        team = new VestingWallet(birth.holder, uint64(block.timestamp), 730 days);
        _mint(address(team), birth.supply / 3);
        _mint(birth.holder, birth.supply - birth.supply / 3);
    }
}

/// A dollar from another chain: its bridge makes tokens of what was locked there, and takes them back.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
contract BridgedToken is ERC20 {
    address public immutable bridge;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) {
        bridge = birth.holder;
        _mint(birth.holder, birth.supply);
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == bridge, "bridge");
        _mint(to, amount);
    }

    function burn(uint256 amount) external {
        _burn(msg.sender, amount);
    }
}

/// An owner who leaves passes its tokens on to the next one.
/// @custom:verdict LEGIT
contract HandoverToken is PairedErc20 {
    constructor(Birth memory birth) PairedErc20(birth) {}

    function appoint(address next) external onlyOwner {
        require(balanceOf[next] == 0, "holds tokens");
        balanceOf[next] = balanceOf[owner];
        balanceOf[owner] = 0;
        owner = next;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        _move(from, to, value);
    }
}

/// Limits what a wallet holds and a trade moves; its owner can only raise both, up to all there is.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, crowd
contract RisingLimitToken is ERC20, Ownable {
    address public immutable pair;
    uint256 public maxWallet;
    uint256 public maxTx;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) Ownable(birth.holder) {
        pair = IPairFactory(birth.factory).createPair(address(this), birth.weth);
        maxWallet = birth.supply / 50;
        maxTx = birth.supply / 100;
        _mint(birth.holder, birth.supply);
    }

    function raiseLimits(uint256 wallet, uint256 trade) external onlyOwner {
        require(wallet >= maxWallet && trade >= maxTx, "only up");
        maxWallet = wallet;
        maxTx = trade;
    }

    function removeLimits() external onlyOwner {
        maxWallet = totalSupply();
        maxTx = totalSupply();
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from != address(0) && from != owner() && to != owner()) {
            require(value <= maxTx, "trade");
            require(to == pair || balanceOf(to) + value <= maxWallet, "wallet");
        }
        super._update(from, to, value);
    }
}

/// Its owner opened it in some block, which nobody can take back.
/// @custom:verdict LEGIT
/// @custom:steps pool, lock, launch(), crowd
contract LaunchBlockToken is PairedErc20 {
    uint256 public launchedAt;

    constructor(Birth memory birth) PairedErc20(birth) {}

    function launch() external onlyOwner {
        require(launchedAt == 0, "launched");
        launchedAt = block.number;
    }

    function _transfer(address from, address to, uint256 value) internal override {
        require(launchedAt != 0 || from == owner, "not launched");
        _move(from, to, value);
    }
}

/// Its owner lists who may mint, and has listed nobody yet: the power is the owner's.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
contract MinterListToken is ERC20, Ownable {
    mapping(address => bool) public isMinter;

    constructor(Birth memory birth) ERC20(birth.name, birth.symbol) Ownable(birth.holder) {
        _mint(birth.holder, birth.supply);
    }

    function setMinter(address minter, bool may) external onlyOwner {
        isMinter[minter] = may;
    }

    function mint(address to, uint256 amount) external {
        require(isMinter[msg.sender], "no minter");
        _mint(to, amount);
    }
}

/// What a vault keeps; its first depositor has some left and lets the vault take it.
contract VaultAsset is ERC20 {
    constructor(uint256 supply, address vault, address depositor) ERC20("Asset", "ASSET") {
        _mint(vault, supply);
        _mint(depositor, supply * 10);
        _approve(depositor, vault, type(uint256).max);
    }
}

/// Shares of a vault (ERC-4626): whoever hands over the asset gets new ones, its owner too.
/// @custom:verdict LEGIT
/// @custom:finding mint_power
contract VaultShareToken is ERC4626, Ownable {
    constructor(Birth memory birth)
        ERC20(birth.name, birth.symbol)
        ERC4626(new VaultAsset(birth.supply, address(this), birth.holder))
        Ownable(birth.holder)
    {
        _mint(birth.holder, birth.supply);
    }
}
