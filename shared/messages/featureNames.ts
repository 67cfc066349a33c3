/**
 * Features by name: formula, unit, since when it is known (by default the first Sync), and its source (by default
 * that of most of its group). `make docs` generates the tables of `pipeline/scorer/features/FEATURES.md` from them.
 */
export type FeatureGroup = Readonly<
  Record<string, readonly [formula: string, unit: string, since?: string, source?: string]>
>;
const namesOf = <Name extends string>(group: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(group) as Name[];

/** Features of a pool's trades and reserves, from its Syncs only. */
export const MARKET_FEATURES = {
  ageS: ['T − first Sync', 's', 'T'],
  secondsSinceLastEvent: ['T − last Sync', 's'],
  largestGapS: ['longest time between Syncs, the time since the last included', 's'],
  gapVariation: ['standard deviation of the gaps / max(mean gap, 1 s)', 'ratio', 'third Sync'],
  eventCount: ['Syncs', 'count'],
  eventsPerHour: ['3600 · Syncs / max(age, 60 s)', '1/h'],
  distinctBlockShare: ['blocks with a Sync / Syncs', 'share'],
  firstBlockEventShare: ['Syncs in the first block / Syncs', 'share'],
  firstTenMinutesEventShare: ['Syncs in the first 600 s / Syncs', 'share'],
  buyCount: ['steps with base up, token down', 'count'],
  sellCount: ['steps with base down, token up', 'count'],
  addCount: ['steps with both up, the first liquidity included', 'count'],
  removeCount: ['steps with both down', 'count'],
  otherCount: ['steps with a side unchanged', 'count'],
  buyCountShare: ['buys / (buys + sells)', 'share', 'first trade'],
  buyVolumeShare: ['base bought with / (that + base sold for)', 'share', 'first trade'],
  netFlowToFirstBase: ['(base in by buys − base out by sells) / first base', 'ratio'],
  firstBase: ['base reserve of the first Sync', 'native coins'],
  drawdownFromPeak: ['1 − base now / highest base', 'share'],
  growthFromFirst: ['base now / first base', 'ratio'],
  peakGrowthFromFirst: ['highest base / first base', 'ratio'],
  secondsSincePeak: ['T − first time of the highest base', 's'],
  maxDrawdown: ['largest 1 − base / highest base before it', 'share'],
  firstBaseRound: ['1 when the first base is a multiple of 0.1 coins', '0 or 1'],
  firstBaseDigits: ['significant decimal digits of the first base, at most 15', 'count'],
  firstTokenDigits: ['significant decimal digits of the first token reserve, at most 15', 'count'],
  firstTokenMagnitude: [
    'log10 of the first token reserve in raw units: supply and decimals of a template',
    'log10',
  ],
  tokenReserveGrowth: ['token reserve now / first', 'ratio'],
  largestBuyShare: ['largest buy / base before it', 'ratio', 'first buy'],
  largestSellShare: ['largest sell / base before it', 'share', 'first sell'],
  largestAddShare: ['largest add / base before it', 'ratio', 'second add'],
  largestRemovalShare: ['largest removal / base before it', 'share', 'first removal'],
  buyHerfindahl: ['Σ buy² / (Σ buy)²', 'share', 'first buy'],
  sellHerfindahl: ['Σ sell² / (Σ sell)²', 'share', 'first sell'],
  roundBuyShare: ['buys of a multiple of 0.01 coins / buys', 'share', 'first buy'],
  repeatedBuyShare: ['buys of an amount seen before (7 digits) / buys', 'share', 'first buy'],
  medianBuyShare: ['median of buy / base before it', 'ratio', 'first buy'],
  smallBuyShare: ['buys below 0.5 % of the base before / buys', 'share', 'first buy'],
  largeSaleCount: ['sells of at least 5 % of the base before', 'count'],
  largeSaleShare: ['those / sells', 'share', 'first sell'],
  buyTurnover: ['base bought with / first base', 'ratio'],
  sellTurnover: ['base sold for / first base', 'ratio'],
  firstMinuteBuyTurnover: ['base bought with in the first 60 s / first base', 'ratio'],
  firstTenMinutesBuyTurnover: ['base bought with in the first 600 s / first base', 'ratio'],
  firstBlocksBuyCount: ['buys in the first block and the two after', 'count'],
  soldOfBoughtToken: ['tokens sold to the pool / tokens bought from it', 'ratio', 'first buy'],
  netBoughtOfFirstToken: ['(tokens bought − sold) / first token reserve', 'ratio'],
  outsideTokenShare: ['highest excess of tokens sold over bought / first token reserve', 'ratio'],
  liquidityUnits: ['product of base after / base before over adds and removals', 'ratio'],
  addedUnits: ['liquidity units added', 'ratio'],
  removedUnitsShare: ['liquidity units removed / (1 + added)', 'share'],
  buysBeforeFirstSell: ['buys before the first sell', 'count'],
  secondsToFirstBuy: ['first buy − first Sync', 's', 'first buy'],
  secondsToFirstSell: ['first sell − first Sync', 's', 'first sell'],
  secondsSinceLastBuy: ['T − last buy', 's', 'first buy'],
  secondsSinceLastSell: ['T − last sell', 's', 'first sell'],
  longestBuyRun: ['most buys without a sell between', 'count'],
  longestSellRun: ['most sells without a buy between', 'count'],
  roundTripBlocks: ['blocks with a buy and a sell', 'count'],
  logPriceFromFirst: ['ln(price now / first price); price = base / token', 'ln'],
  logPriceFromPeak: ['ln(price now / highest price)', 'ln'],
  maxPriceDrawdown: ['largest 1 − price / highest price before it', 'share'],
  logReturnVolatility: ['standard deviation of ln price changes', 'ln', 'third Sync'],
  recentEventShare: ['Syncs in the last quarter of the age / Syncs', 'share'],
  recentBaseGrowth: ['base now / base when that quarter began', 'ratio'],
  recentLogPriceChange: ['ln(price now / price when that quarter began)', 'ln'],
  lastHourDrawdown: ['1 − base now / highest base of the last 3600 s', 'share'],
  lastHourEventCount: ['Syncs in the last 3600 s', 'count'],
  lastHourNetFlow: ['(bought − sold in the last 3600 s) / base now', 'ratio'],
  lastHourSellCountShare: ['sells / trades in the last 3600 s', 'share', 'trade in that hour'],
  lastHourLargestSale: [
    'largest sell of the last 3600 s / base before',
    'share',
    'sell in that hour',
  ],
  lastHourVolumeShare: ['volume of the last 3600 s / all volume', 'share', 'first trade'],
  lastTenMinutesEventCount: ['Syncs in the last 600 s', 'count'],
  lastTenMinutesNetFlow: ['(bought − sold in the last 600 s) / base now', 'ratio'],
} as const satisfies FeatureGroup;

/** Features of the holders of a pool's liquidity tokens, from transfers of these tokens. */
export const LIQUIDITY_FEATURES = {
  lpHolders: [
    'holders of more than 1e-6 of the supply, lockers included, burn addresses and the pool not',
    'count',
  ],
  lpHerfindahl: ['Σ share² of those', 'share'],
  lpBurnedShare: ['share of the supply at burn addresses', 'share'],
  lpLockedShare: ['share of the supply at known lockers', 'share'],
  lpPullableShare: ['1 − burned − locked', 'share'],
  lpTopShare: ['largest share of one holder that is no locker', 'share'],
  lpCreatorShare: ['share of the creator', 'share'],
  lpRemovedShare: ['liquidity tokens redeemed / all ever minted', 'share'],
  lpMovedShare: [
    'liquidity tokens sent between wallets, not to lockers or burn addresses / all ever minted',
    'ratio',
  ],
  lpMoves: ['transfers other than mints, redemptions and their sending to the pool', 'count'],
  lpMints: ['mints but the first 1000 units', 'count'],
  lpFirstByCreator: ['1 when the first liquidity went to the creator', '0 or 1'],
  lpSecondsSinceMove: ['T − last transfer', 's'],
  lpSecondsToSecured: ['first lock or burn of 1 % or more − first Sync', 's', 'that lock or burn'],
} as const satisfies FeatureGroup;

/** Features of the earlier pools of the pool's creator. */
export const CREATOR_FEATURES = {
  creatorPools: ["the creator's other pools born before", 'count'],
  creatorDrained: ['of those, at or below 5 % of their own peak at this first Sync', 'count'],
  creatorDrainedShare: ['drained / pools', 'share', 'first Sync, with earlier pools'],
  creatorGapS: [
    'first Sync − that of the newest earlier pool',
    's',
    'first Sync, with earlier pools',
  ],
} as const satisfies FeatureGroup;

/**
 * The features of a pool in model order. The order is part of the model: adding, removing or moving a name requires
 * retraining.
 */
export const FEATURE_NAMES = namesOf({
  ...MARKET_FEATURES,
  ...LIQUIDITY_FEATURES,
  ...CREATOR_FEATURES,
});

/** The name of one feature. */
export type FeatureName = (typeof FEATURE_NAMES)[number];
export type LiquidityFeatureName = keyof typeof LIQUIDITY_FEATURES;
export type CreatorFeatureName = keyof typeof CREATOR_FEATURES;

const FUNDED = '7 days of native transfers on record';
const PRICED = 'first trade or reserves, with decimals';
/**
 * Features of a token's holders and creator. They are reported with a verdict and are in no model: the recordings
 * hold the transfers of only 29 tokens, too few to learn from.
 */
export const WALLET_FEATURES = {
  holderCount: ['wallets with a balance', 'count', 'first transfer'],
  holderTopTenShare: ['balances of the ten largest / all not burned', 'share', 'first transfer'],
  holderHerfindahl: ['Σ (balance / those of all wallets)²', 'share', 'first transfer to a wallet'],
  holderClustering: [
    '3 · triangles / pairs of neighbours, in the graph of wallets that sent the token to each other',
    'share',
    'first wallet with two neighbours',
  ],
  holderFreshShare: [
    'of the 20 largest wallets: first funded at most 24 h before they first received the token / all whose funding is known',
    'share',
    FUNDED,
    'both kinds of transfers',
  ],
  creatorAgeS: [
    'first Sync of the token − first native coins the creator received',
    's',
    FUNDED,
    'native transfers',
  ],
  creatorFundedByCreator: [
    '1 when their sender had made a token by then',
    '0 or 1',
    FUNDED,
    'native transfers, tokens',
  ],
} as const satisfies FeatureGroup;
export type WalletFeatureName = keyof typeof WALLET_FEATURES;

/**
 * Price of the token in its main market, and the output of sales of 1 %, 5 % and all circulating tokens. In no model.
 */
export const QUOTE_FEATURES = {
  price_native: ['native coins for one token', 'native coins', PRICED, 'events of the market'],
  price_usd: ['US dollars for one token', 'US dollars', PRICED, 'events of markets on the route'],
  depth_1pct_usd: [
    'what a sale of 1 % of the tokens in other hands takes out (Solidly: before its fee; not of curves)',
    'US dollars',
    'first liquidity',
  ],
  depth_5pct_usd: ['the same of 5 %', 'US dollars', 'first liquidity'],
  depth_100pct_usd: ['the same of all of them', 'US dollars', 'first liquidity'],
} as const satisfies FeatureGroup;

/**
 * All features that a verdict may show: the five of the specification, price and depth, those of the model, then
 * those that are only reported.
 */
export const SHOWN_FEATURES: readonly string[] = [
  'holder_count',
  'transaction_count',
  'liquidity_usd',
  'top_10_concentration',
  'creator_risk_score',
  ...namesOf(QUOTE_FEATURES),
  ...FEATURE_NAMES,
  ...namesOf(WALLET_FEATURES),
  'market_probability',
];
