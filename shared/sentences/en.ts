/**
 * Sentences of checks and of their evidence in English: the one place where they are worded. A placeholder names a value
 * and, after a colon, its kind. Those that begin with a small letter continue another sentence.
 */
export const en = {
  /** Text that is the same in every language: names of functions and standards. */
  verbatim: '{text}',

  // advice
  avoid: 'Do not buy.',
  avoidUnclear: 'Do not buy: much speaks for a scam, not all of it is certain.',
  wait: 'Wait: too little is clear to call it safe.',
  noFinding: 'Nothing was found against it. That is no guarantee.',

  // why something is unknown
  contractUnread: 'The contract could not be read.',
  noPoolToTrade: 'The token has no pool to trade on.',
  behindHead: 'Trades are simulated at the head of the chain only.',
  curveBuyFails:
    'Buying from the bonding curve with native currency {why:sentence}; it may be priced in another token.',
  curveRefuses: 'Buying from the bonding curve {why:sentence}.',
  curveEmpty: 'The bonding curve has raised nothing yet that a trade could be tried with.',
  marketNotCovered:
    'It trades on {protocol}, which the model of markets has never seen: the verdict rests on the contract, locks, the creator and trades.',
  nothingSniped: 'No tokens were bought in the block in which the market opened.',
  sniped:
    'In block {block}, in which the market opened, {share:percent} of all tokens were bought, {own:percent} by the creator, who now holds {holds:percent}.',
  snipedHere: 'the largest purchase of that block',
  otherBase: 'Only trades against the wrapped native coin are simulated.',
  nodeCannotSimulate: 'The node has neither eth_simulateV1 nor calls with state overrides.',
  nodeRefusesProbe: 'The node refuses eth_simulateV1.',
  nodeWithoutHead: 'The node does not name its latest block.',
  nodeSilent: 'The node does not answer simulations now.',
  answerTooLarge: 'The answer of the node to the simulation is too large.',
  answerUnreadable: 'The answer of the node to a simulation cannot be read.',
  simulationRefused: 'The node refuses the simulation (error {code}).',
  simulationEndless: 'The simulation did not come to an end.',
  balanceMoved: 'The simulated balance differs from one simulation to the next.',
  balanceNotReported: 'The token does not return the balance of a buyer.',
  poolTooSmall: 'The pool is too small for a trade to show anything.',
  nothingBought: 'Nothing could be bought to try it.',
  noTrade: 'No trade could be simulated.',
  noTransfer: 'No transfer could be simulated.',

  // why a simulated call fails
  revertsSilently: 'it reverts without a reason',
  revertsOverlong: 'it reverts with overlong data',
  revertsUnreadably: 'it reverts with an unreadable reason',
  revertsWith: 'it reverts with “{text}”',
  revertsCustom: 'it reverts with the custom error {selector}',
  panics: 'it panics with code {code}',
  deliversNothing: 'it delivers no tokens',
  earnsNothing: 'it earns nothing',
  hookReverts: 'the hook of the pool refuses it: {why:sentence}',
  byTransfer: 'by a transfer to the pool {why:sentence}',
  byRouter: 'through a router {why:sentence}',

  // liquidity_drained, market_pattern
  noPool: 'The token has no Uniswap V2 pool.',
  poolHolds: 'The main pool holds {share:percent} of its highest reserve.',
  poolLost: 'The main pool lost {share:percent} of its highest reserve.',
  noPoolForModel: 'The token has no Uniswap V2 pool, and the model of markets knows no others.',
  drainedMoreOften:
    'Of pools that traded like this one, {share:percent} were drained within a week: odds {times:number} times higher than usual at its age.',
  drainedLessOften:
    'Of pools that traded like this one, {share:percent} were drained within a week: odds {times:number} times lower than usual at its age.',

  // sell_simulation, trade_tax, transfer_tax, trade_limits
  tradingOpen: 'A simulated purchase works.',
  tradingClosed:
    'Nobody can buy now, although the pool holds liquidity: {why:sentence}. {how:sentence}',
  closedToOthers: 'Others bought before ({count:number} purchases): it is closed to new buyers.',
  nobodyCanOpen: 'The ownership is given up: no one is known who could open it.',
  ownerCanOpen: 'The owner can open it: {functions:list}.',
  openerUnknown: 'Who could open it is not known.',
  listed: 'An established token, by its address: {known}, in public lists of tokens.',
  listedNative: 'The wrapped native coin of {chain}.',
  listedStable: 'An established stablecoin of {chain}: {symbol}.',
  listedBase: 'One of the coins that this service prices tokens in.',
  notListed: 'It is none of the established tokens this service ships with. Most tokens are not.',
  buyFails: 'A simulated purchase fails: {why:sentence}. Trading may not be open.',
  sellFails: 'A bought token cannot be sold: {why:sentence}.',
  sellFailsButForLittle:
    'A bought token cannot be sold: {why:sentence}. A ten-thousandth of it can: sales are limited to next to nothing.',
  sellsToEntered:
    'A bought token can be sold by handing it to the pool; routers can take it only once the contract has entered them, and one that is new cannot.',
  poolAboveWalletLimit:
    'A bought token cannot be sold in this pool: {why:sentence}. An ordinary wallet that gathers tokens is refused in the same words: a limit for wallets counts for this pool too, as for any that the contract does not exempt.',
  poolSends: 'the pool sends a wallet tokens until it is refused',
  sells: 'A bought token can be sold.',
  sellsAfter:
    'A bought token can be sold {after:seconds} after its purchase, but not in the next block.',
  purchaseKeeps: 'A purchase keeps {share:percent} of the tokens.',
  saleKeeps: 'A sale keeps {share:percent} of the amount.',
  tradeTax: 'Buying costs {buy:percent} and selling {sell:percent} beside the pool’s fee.',
  transferFails: 'A transfer from one wallet to another fails: {why:sentence}.',
  transferTax: 'A transfer from one wallet to another costs {share:percent}.',
  noLimit: 'No limit of trades was met.',
  limitsMet: 'What fails: {limits:sentences}.',
  limitPurchase: 'a purchase at once of {share:percent} of the pool',
  limitWallet: 'purchases in one block of {share:percent} of the pool',
  limitSale: 'a sale at once of {share:percent} of the pool',

  // tokens_delivered, sell_later, sale_gas
  delivered: 'Of the tokens a pool pays out, {share:percent} reach the buyer.',
  noSaleNow: 'No sale works in the next block.',
  sellsLater: 'A sale works a day later as well.',
  sellsNotLater: 'A sale works now, but not a day later: {why:sentence}.',
  saleGas: 'The transfer of a sale uses {gas:number} gas.',

  // who may do something, and what
  originOwner: 'owner',
  originCreator: 'creator',
  originStorage: 'named in the storage',
  originCode: 'named in the code',
  originAnyone: 'anyone',
  harmMint: 'make new tokens',
  harmConfiscate: 'take tokens out of buyers’ wallets',
  harmPause: 'pause all transfers',
  harmBlacklist: 'stop single buyers from selling',
  harmGate: 'close the market',
  harmLimit: 'limit sales to nothing',
  harmFee: 'keep most of a sale',
  harmFreeze: 'stop sales',
  effectMint: '{share:percent} of the supply',
  effectConfiscate: '{share:percent} of a buyer’s tokens',
  effectFreeze: 'a sale that works before fails after it',
  effectTax: 'a sale then loses {share:percent}',

  // the checks of powers
  powerProven:
    'A privileged address ({origin:sentence}) can {harm:sentence} by {call}: simulated, {effect:sentence}.',
  powerOfAnyone: 'Anyone can {harm:sentence} by {call}: simulated, {effect:sentence}.',
  powerNotFound: 'Nobody was found who can {harm:sentence}.',
  powerRenounced: 'The contract has {functions:list}, but its ownership is given up.',
  powerInCode:
    'By its code {holder:sentence} can {harm:sentence}, by {call}; no simulation has shown it.',
  heldByWallet: 'one wallet ({address})',
  heldByMultisig: 'a multisig ({address})',
  heldByTimelock: 'a timelock ({address})',
  heldByGovernance: 'a governance contract ({address})',
  heldByContract: 'a contract ({address})',
  heldByAnyone: 'anyone',
  heldByUnknown: 'whoever the contract has entered',
  slotNames: 'slot {slot} of {token} names {address}',
  slotEnters: 'slot {slot} of {token}, not zero, is the entry of {address}',
  powerNamed: 'The contract has {functions:list}; that anyone can {harm:sentence} was not shown.',

  // hook_power, hook_tax, pool_fee
  harmHookRefuse: 'refuse trades',
  harmHookTake: 'keep a part of them',
  harmHookFee: 'set their fee',
  hookIdle: 'The hook {hook} of the pool is not called in trades.',
  hookFixed:
    'The hook {hook} of the pool can {harms:sentences}; its code is fixed, and it names no owner.',
  hookOwned: 'The hook {hook} of the pool can {harms:sentences}; it has an owner: {owner}.',
  hookReplaceable:
    'The hook {hook} of the pool can {harms:sentences}, and its code can be replaced.',
  hookPowerProven:
    'A privileged address ({origin:sentence}) can {harm:sentence} by {call} of the pool’s hook {hook}: simulated, {effect:sentence}.',
  hookRefuses: 'The hook {hook} of the pool refuses sales: without it the same sale works.',
  hookTakes:
    'Beside the pool’s fee, its hook {hook} keeps {buy:percent} of a purchase and {sell:percent} of a sale.',
  poolKeeps: 'The fee of the pool is {share:percent} of what is paid in.',

  // owner_renounced, hidden_owner
  noOwner: 'The contract names no owner.',
  renounced: 'The ownership is given up.',
  owned: 'The contract has an owner: {address}.',
  notRenounced: 'No ownership was given up.',
  noHiddenOwner: 'Nobody was found who rules the contract after its ownership was given up.',
  hiddenOwner:
    'The ownership looks given up, yet {address} ({origin:sentence}) can {harm:sentence} by {call}.',

  // look_alike, known_scam_code
  resemblesNone: 'The name resembles that of no known token.',
  disguised: 'The token is written to be read as {known}, which it is not.',
  sameName: 'The token has name and symbol of {known}, which it is not.',
  sameSymbol: 'The token shares its symbol with {known}, which it is not.',
  // name_spam
  nameMissing: 'The token has neither a name nor a symbol.',
  nameListed: 'The token is one of the known tokens of its chain.',
  nameNotSpam: 'Name and symbol are not written like those of spam.',
  nameInvites: 'The name is an invitation: it says “{asks}” and leads to “{leads}”.',
  nameLikeSpam: 'Name and symbol are written like those of spam: {parts:list}.',
  // sent_unasked
  spreadUnread: 'The token has a market, or too many transfers to look at all of them.',
  sentUnasked:
    'Addresses that got the token by the dozen in one transaction: {unasked:number} of {recipients:number}.',
  codeNotCompared: 'The code could not be compared with others.',
  scamCode:
    'Known scams with the same code: {scams:number}; other tokens with it: {others:number}.',
  nearScamCode: 'An estimated {share:percent} of the code is that of a known scam.',
  noScamCode: 'No known scam has this code.',

  // self_destruct, delegatecall, proxy, erc20_surface
  cannotSelfDestruct: 'The code cannot destroy itself.',
  canSelfDestruct: 'The code can destroy itself.',
  noForeignCode: 'The code runs no foreign code.',
  isProxy: 'The contract is a proxy.',
  foreignCode: 'The contract runs code of other contracts, and is no proxy of a known sort.',
  noProxy: 'The contract is no proxy.',
  fixedProxy: 'The contract runs the code of {implementation} for good.',
  replaceableProxy: 'The contract runs the code of {implementation}, which can be replaced.',
  functionsUnknown: 'The functions of the contract cannot be recovered from its code.',
  hasAllFunctions: 'All functions of ERC-20 are there.',
  lacksFunctions: 'The code lacks {functions:list}.',

  // holder_concentration
  fewHolders: 'Holders: {holders:number}, too few to judge by.',
  balancesUnknown: 'The token has moved too often for its balances to be added up.',
  topTenHold: 'The ten largest wallets hold {share:percent}.',

  // fake_lock
  ofLiquidity: 'the liquidity',
  ofSupply: 'the supply',
  byLockOwner: 'the owner of the lock',
  byLockerOwner: 'the owner of the locker',
  byCreator: 'the creator of the token',
  byInsider: 'an address that the locker names',
  byAnyone: 'anyone',
  lockOpens:
    '{locker} claims to lock {share:percent} of {what:sentence} until {until:time}, but {who:sentence} can take it out before.',
  lockEmpty:
    '{locker} claims to lock a part of {what:sentence} until {until:time}, but it has nothing of it.',
  lockHoldsUntil:
    '{share:percent} of {what:sentence} is locked until {until:time}: no one was found who can take it out before.',
  lockUntried:
    'Whether what is said to be locked can be taken out before its time could not be tried.',

  // what evidence shows
  opcodeAt: '{opcode} at byte {offset} ({hex})',
  answers: '{call} answers {answer}',
  largestBatch: 'the largest of {batches:number} transactions that gave equal amounts to many',
  answersPart: '“{part}”: {call} answers {answer}',
  callsItself: '{known}; this one calls itself {own}',
  selectorsFound: 'selectors in the dispatcher',
  selectorsMissing: 'no selector of {functions:list}',
  sameInstructions: 'the same instructions, constants left out',
  scamWithCode: 'a scam with this code',
  scamWithNearCode: 'a scam with similar code',
  transferLogs: 'Transfer logs; the balances follow from them',
  syncLogs: 'Sync logs up to block {block}; the contributions in shap_values follow from them',
  atBlock: '{call} at block {block}',
  largestFall: 'largest fall of the reserve',
  buyFailsHere: 'buy {token}',
  buyThenSell: 'buy {token}, then sell it',
  buyThenSend: 'buy {token}, then send it to another wallet',
  buyManyThenSell: 'buy {token} several times, then sell it',
  buyThenTransferSale: 'buy {token}, then sell by a transfer to the pool',
  hookNamed: 'the log that creates the pool {pool} names its hook',
  feeNamed: 'the log that creates the pool {pool} names its fee',
  withoutHook: 'the same with a hook that takes and refuses nothing',
  buyThenCall:
    'buy {token}, then {call} from {caller} ({origin:sentence}) with data {data}, then balances and a sale',
  lockOpenedBy: 'what {locker} holds, then {call} from {caller}, and what it holds after that',
  lockHolds: 'what {locker} holds',
} as const;
