import type { Hex } from '../../../shared/chain/block.ts';
import { encodeCall } from './abiWords.ts';

/** A token, the Uniswap V2 pool to trade it on, and the base token on the pool's other side. */
export interface Market {
  readonly pool: Hex;
  readonly token: Hex;
  readonly base: Hex;
}

/**
 * Runtime code of SimulatedRouter.sol: solc 0.8.37, evmVersion london (so that chains without PUSH0
 * run it), via IR, optimizer with 1 run, no metadata. The integration test of trades compiles it
 * anew and compares.
 */
export const SIMULATED_ROUTER_CODE: Hex =
  '0x6080604052600436101561001257600080fd5b60003560e01c80636325ba81146100475780639f42eb36146100425763d15849c91461003d57600080fd5b61013d565b61012b565b3461010a576000806100583661010f565b610066602083959301610158565b9061007085610158565b6323b872dd60e01b60a0523360a4526001600160a01b031660c45260e452606460805261009d6084610182565b60a082608051925af1906100af6101d0565b9115610101576100d0826100d593519081159182156100e7575b5050610227565b610425565b60408051928352602083019190915290f35b6100fa925060208091830101910161020f565b84806100c9565b50602081519101fd5b600080fd5b600319016080811261010a5760601361010a5760049060643590565b6100d56101373661010f565b906102b5565b3461010a57606036600319011261010a576100d56004610425565b356001600160a01b038116810361010a5790565b634e487b7160e01b600052604160045260246000fd5b6080601f91909101601f19168101906001600160401b038211908210176101a857604052565b61016c565b601f909101601f19168101906001600160401b038211908210176101a857604052565b3d1561020a573d906001600160401b0382116101a857604051916101fe601f8201601f1916602001846101ad565b82523d6000602084013e565b606090565b9081602091031261010a5751801515810361010a5790565b1561022e57565b60405162461bcd60e51b815260206004820152601a6024820152797472616e7366657246726f6d20616e73776572732066616c736560301b6044820152606490fd5b634e487b7160e01b600052601160045260246000fd5b8181029291811591840414171561029957565b610270565b600091031261010a57565b6040513d6000823e3d90fd5b90916102e36102d3936102dc6102ca8561052b565b96909287610286565b620186a0900490565b94856105db565b91821561040657604081019061030a6102fe6102fe84610158565b6001600160a01b031690565b803b1561010a5760008691600460405180948193630d0e30db60e41b83525af180156103e65761034d6102fe6102fe61038e966020958b956103eb575b50610158565b61035684610158565b60405163a9059cbb60e01b81526001600160a01b03909116600482015260248101929092529093849190829060009082906044820190565b03925af19081156103e6576103b79285926103b9575b506103b160208201610158565b90610657565b565b6103da9060203d6020116103df575b6103d281836101ad565b81019061020f565b6103a4565b503d6103c8565b6102a9565b806103fa6000610400936101ad565b8061029e565b38610347565b50565b9081602091031261010a575190565b9190820391821161029957565b61042e8161052b565b9092906001600160a01b0361044560208501610158565b1690602061045285610158565b60405193848080936370a0823160e01b8252600482018681019160018060a01b0316905203915afa80156103e657856102dc91610497946000916104b2575b50610418565b9182806104a2575050565b816103b160406103b79401610158565b6104d4915060203d6020116104da575b6104cc81836101ad565b810190610409565b38610491565b503d6104c2565b51906001600160701b038216820361010a57565b9081606091031261010a57610509816104e1565b916040610518602084016104e1565b92015163ffffffff8116810361010a5790565b906004606061053f6102fe6102fe86610158565b604051630240bc6b60e21b815292839182905afa9081156103e6576000906000926105a8575b506001600160701b03918216939116906105906102fe604061058960208501610158565b9301610158565b6001600160a01b0390911610156105a5579190565b90565b90506105cc915060603d6060116105d4575b6105c481836101ad565b8101906104f5565b509038610565565b503d6105ba565b9091811580801561064f575b610646576103e583029283046103e5141715610299576106079082610286565b906103e88302928084046103e81490151715610299578201809211610299578115610630570490565b634e487b7160e01b600052601260045260246000fd5b50505050600090565b5083156105e7565b91906020830161066681610158565b60408501906106776102fe83610158565b6001600160a01b03909116101561072d575061069290610158565b6001600160a01b0391821691160361071a57906106b66102fe6102fe600093610158565b91823b1561010a5760405163022c0d9f60e01b815260048101919091526024810191909152336044820152608060648201526000608482018190529091829060a490829084905af180156103e65761070b5750565b806103fa60006103b7936101ad565b906106b66102fe6102fe60009493610158565b6107379150610158565b61069256';

/** First four bytes of keccak-256 of the signature; a market is a tuple of three addresses. */
const ROUTER_SELECTOR = {
  buy: '0x9f42eb36',
  sell: '0x6325ba81',
  settle: '0xd15849c9',
} as const;

const wordsOf = ({ pool, token, base }: Market): readonly Hex[] => [pool, token, base];

/**
 * Buys for a share of the base reserve, paid from the call's value; the tokens go to the caller.
 * Answers (base spent, tokens the pool pays out); the latter is zero where the pool is too small.
 */
export const encodeBuy = (market: Market, hundredThousandths: bigint): Hex =>
  encodeCall(ROUTER_SELECTOR.buy, ...wordsOf(market), hundredThousandths);

/**
 * Takes tokens of the caller, who has approved them, into the pool, then settles. Answers as
 * {@link encodeSettle}.
 */
export const encodeSell = (market: Market, amount: bigint): Hex =>
  encodeCall(ROUTER_SELECTOR.sell, ...wordsOf(market), amount);

/**
 * Swaps what the pool holds above its reserve; the base token goes to the caller. Answers (tokens
 * the pool received, base it pays out); the latter is zero where that would be nothing.
 */
export const encodeSettle = (market: Market): Hex =>
  encodeCall(ROUTER_SELECTOR.settle, ...wordsOf(market));

/** The block that simulations stand on. */
export interface Head {
  readonly number: number;
  /** Unix seconds. */
  readonly timestampS: number;
}

/** One trade to simulate: where, on what state, and which unused addresses play in it. */
export interface Trade {
  readonly market: Market;
  readonly head: Head;
  /** A plain account with ether, and nothing else. */
  readonly trader: Hex;
  /** Where the code of the simulated router is put. */
  readonly router: Hex;
  /** Another plain account, to send tokens to. */
  readonly friend: Hex;
}

/** The parameters of `eth_simulateV1`, and how many calls its answer must show per block. */
export interface SimulationPlan {
  readonly params: readonly unknown[];
  readonly callsPerBlock: readonly number[];
}

/** How the trader sells: sends tokens to the pool itself, or lets a router take them. */
export type SellWay = 'transfer' | 'router';

/** Seconds from one block to the next, as on Ethereum. */
export const BLOCK_SECONDS = 12;
/** Gas of a trade: a swap costs 0.15 million; a token that sells its taxes on the way, 1 million. */
const TRADE_GAS = 3_000_000n;
/** Gas of reading a balance: a few thousand, more where a token computes it. */
const READ_GAS = 300_000n;
/** More than a share of any reserve costs, as those are below 2^112; enough for several. Wei. */
const PURSE_WEI = 2n ** 116n;
const PAYMENT_WEI = 2n ** 111n;

/** First four bytes of keccak-256 of the signature. EIP-20. */
const SELECTOR = {
  balanceOf: '0x70a08231',
  transfer: '0xa9059cbb',
  approve: '0x095ea7b3',
} as const;

const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;

const call = (from: Hex, to: Hex, input: Hex, gas = TRADE_GAS, value = 0n) => ({
  from,
  to,
  input,
  gas: quantity(gas),
  value: quantity(value),
});

const balanceCall = ({ trader }: Trade, asset: Hex, holder = trader) =>
  call(trader, asset, encodeCall(SELECTOR.balanceOf, holder), READ_GAS);

const buyCall = ({ market, trader, router }: Trade, size: bigint) =>
  call(trader, router, encodeBuy(market, size), TRADE_GAS, PAYMENT_WEI);

/** Number and time are given, since nodes differ in what they take without. */
const plan = (
  { head, trader, router }: Trade,
  buyBlock: readonly object[],
  laterBlock: { readonly delayS: number; readonly calls: readonly object[] },
): SimulationPlan => {
  const boughtAtS = head.timestampS + BLOCK_SECONDS;
  const blockStateCalls = [
    {
      blockOverrides: { number: quantity(head.number + 1), time: quantity(boughtAtS) },
      stateOverrides: {
        [trader]: { balance: quantity(PURSE_WEI) },
        [router]: { code: SIMULATED_ROUTER_CODE },
      },
      calls: buyBlock,
    },
    {
      blockOverrides: {
        number: quantity(head.number + 2),
        time: quantity(boughtAtS + laterBlock.delayS),
      },
      calls: laterBlock.calls,
    },
  ];
  return {
    params: [{ blockStateCalls, validation: false }, quantity(head.number)],
    callsPerBlock: [buyBlock.length, laterBlock.calls.length],
  };
};

/** A purchase; one block later, what the trader has of it. Size in 1/100,000 of the base reserve. */
export const planPurchase = (trade: Trade, size: bigint): SimulationPlan =>
  plan(trade, [buyCall(trade, size)], {
    delayS: BLOCK_SECONDS,
    calls: [balanceCall(trade, trade.market.token)],
  });

/**
 * The same purchase, then after `delayS` seconds a sale of `amount`: four calls answer the tokens
 * held, a transfer to the pool or an approval, the swap, and the base tokens earned.
 */
export const planSale = (
  trade: Trade,
  sale: { way: SellWay; size: bigint; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader, router } = trade;
  const { way, size, amount, delayS } = sale;
  const steps =
    way === 'transfer'
      ? [
          call(trader, market.token, encodeCall(SELECTOR.transfer, market.pool, amount)),
          call(trader, router, encodeSettle(market)),
        ]
      : [
          call(trader, market.token, encodeCall(SELECTOR.approve, router, amount)),
          call(trader, router, encodeSell(market, amount)),
        ];
  const calls = [balanceCall(trade, market.token), ...steps, balanceCall(trade, market.base)];
  return plan(trade, [buyCall(trade, size)], { delayS, calls });
};

/** The same purchase, then after `delayS` seconds: tokens held, a transfer of `amount`, what arrived. */
export const planTransfer = (
  trade: Trade,
  { size, amount, delayS }: { size: bigint; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader, friend } = trade;
  const calls = [
    balanceCall(trade, market.token),
    call(trader, market.token, encodeCall(SELECTOR.transfer, friend, amount)),
    balanceCall(trade, market.token, friend),
  ];
  return plan(trade, [buyCall(trade, size)], { delayS, calls });
};

/** Several purchases in one block, then after `delayS` seconds a sale of `amount` by a transfer. */
export const planAccumulation = (
  trade: Trade,
  parts: { size: bigint; purchases: number; amount: bigint; delayS: number },
): SimulationPlan => {
  const { market, trader, router } = trade;
  const { size, purchases, amount, delayS } = parts;
  const calls = [
    call(trader, market.token, encodeCall(SELECTOR.transfer, market.pool, amount)),
    call(trader, router, encodeSettle(market)),
  ];
  const buys = Array.from({ length: purchases }, () => buyCall(trade, size));
  return plan(trade, buys, { delayS, calls });
};
