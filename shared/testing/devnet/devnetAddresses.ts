/** The words behind the accounts every anvil starts with. They guard nothing: devnets only. */
export const DEVNET_MNEMONIC = 'test test test test test test test test test test test junk';

/** The account that deploys Uniswap V2, WETH9 in its very first transaction. */
export const UNISWAP_DEPLOYER = 9;

/**
 * Where Uniswap V2 is found on every devnet: the contracts {@link UNISWAP_DEPLOYER} creates at
 * nonces 0 to 3, in this order. They are constants so that a stack can be configured before the
 * contracts exist.
 */
export const DEVNET_ADDRESSES = {
  weth: '0x700b6a60ce7eaaea56f065753d8dcb9653dbad35',
  factory: '0xa15bb66138824a1c7167f5e85b957d04dd34e468',
  router: '0xb19b36b1456e65e3a6d514d3f715f204bd59f431',
  /** A dollar token with 6 decimals. */
  stable: '0x8ce361602b935680e8dec218b820ff5056beb7af',
} as const;

/** US dollars of the coin of every devnet. */
export const DEVNET_NATIVE_USD = 2_000;

/** How roles on a devnet price tokens. */
export const DEVNET_PRICING = {
  WETH_ADDRESS: DEVNET_ADDRESSES.weth,
  STABLE_ADDRESSES: DEVNET_ADDRESSES.stable,
  NATIVE_PRICE_USD: String(DEVNET_NATIVE_USD),
} as const;
