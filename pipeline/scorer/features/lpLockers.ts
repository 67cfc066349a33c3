/** Addresses nobody has the key of: liquidity there can never be pulled. */
export const LP_BURN_ADDRESSES: ReadonlySet<string> = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000000001',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
]);

/**
 * Contracts of known locking services and where they stand; liquidity there can be pulled only after the
 * time its owner agreed to. An address is the same contract or nothing on other chains.
 */
export const LP_LOCKERS: ReadonlyMap<string, string> = new Map([
  ['0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214', 'Unicrypt, Uniswap V2, Ethereum'],
  ['0xed9180976c2a4742c7a57354fd39d8bec6cbd8ab', 'Unicrypt, SushiSwap V2, Ethereum'],
  ['0x17e00383a843a9922bca3b280c0ade9f8ba48449', 'Unicrypt, first version, Ethereum'],
  ['0xe2fe530c047f2d85298b07d9333c05737f1435fb', 'Team Finance, third version, Ethereum'],
  ['0xc77aab3c6d7dab46248f3cc3033c856171878bd5', 'Team Finance, second version, Ethereum'],
  ['0xdbf72370021babafbceb05ab10f99ad275c6220a', 'Team Finance, first version, Ethereum'],
  ['0x33d4cc8716beb13f814f538ad3b2de3b036f5e2a', 'PinkLock, first version, Ethereum'],
  ['0x71b5759d73262fbb223956913ecf4ecc51057641', 'PinkLock, second version, Ethereum'],
  ['0x77110f67c0ef3c98c43570bade06046ef6549876', 'OnlyMoons, Ethereum'],
  ['0xc765bddb93b0d1c1a88282ba0fa6b2d00e3e0c83', 'Unicrypt, PancakeSwap V2, BNB Chain'],
  ['0x0c89c0407775dd89b12918b9c0aa42bf96518820', 'Team Finance, BNB Chain'],
  ['0x407993575c91ce7643a4d4ccacc9a98c36ee1bbe', 'PinkLock, second version, BNB Chain'],
]);
