/** Features of a pool's trades and reserves, from its Syncs alone. */
const MARKET_FEATURES = [
  'ageS',
  'secondsSinceLastEvent',
  'largestGapS',
  'gapVariation',
  'eventCount',
  'eventsPerHour',
  'distinctBlockShare',
  'firstBlockEventShare',
  'firstTenMinutesEventShare',
  'buyCount',
  'sellCount',
  'addCount',
  'removeCount',
  'otherCount',
  'buyCountShare',
  'buyVolumeShare',
  'netFlowToFirstBase',
  'firstBase',
  'drawdownFromPeak',
  'growthFromFirst',
  'peakGrowthFromFirst',
  'secondsSincePeak',
  'maxDrawdown',
  'firstBaseRound',
  'firstBaseDigits',
  'firstTokenDigits',
  'firstTokenMagnitude',
  'tokenReserveGrowth',
  'largestBuyShare',
  'largestSellShare',
  'largestAddShare',
  'largestRemovalShare',
  'buyHerfindahl',
  'sellHerfindahl',
  'roundBuyShare',
  'repeatedBuyShare',
  'medianBuyShare',
  'smallBuyShare',
  'largeSaleCount',
  'largeSaleShare',
  'buyTurnover',
  'sellTurnover',
  'firstMinuteBuyTurnover',
  'firstTenMinutesBuyTurnover',
  'firstBlocksBuyCount',
  'soldOfBoughtToken',
  'netBoughtOfFirstToken',
  'outsideTokenShare',
  'liquidityUnits',
  'addedUnits',
  'removedUnitsShare',
  'buysBeforeFirstSell',
  'secondsToFirstBuy',
  'secondsToFirstSell',
  'secondsSinceLastBuy',
  'secondsSinceLastSell',
  'longestBuyRun',
  'longestSellRun',
  'roundTripBlocks',
  'logPriceFromFirst',
  'logPriceFromPeak',
  'maxPriceDrawdown',
  'logReturnVolatility',
  'recentEventShare',
  'recentBaseGrowth',
  'recentLogPriceChange',
  'lastHourDrawdown',
  'lastHourEventCount',
  'lastHourNetFlow',
  'lastHourSellCountShare',
  'lastHourLargestSale',
  'lastHourVolumeShare',
  'lastTenMinutesEventCount',
  'lastTenMinutesNetFlow',
] as const;

/** Features of who holds the pool's liquidity tokens, from their transfers. */
export const LIQUIDITY_FEATURES = [
  'lpHolders',
  'lpHerfindahl',
  'lpBurnedShare',
  'lpLockedShare',
  'lpPullableShare',
  'lpTopShare',
  'lpCreatorShare',
  'lpRemovedShare',
  'lpMovedShare',
  'lpMoves',
  'lpMints',
  'lpFirstByCreator',
  'lpSecondsSinceMove',
  'lpSecondsToSecured',
] as const;

/** Features of what the pool's creator made before. */
export const CREATOR_FEATURES = [
  'creatorPools',
  'creatorDrained',
  'creatorDrainedShare',
  'creatorGapS',
] as const;

/**
 * The features of a pool in model order. The order is part of the model: adding, removing or moving a name
 * needs a new training. `pipeline/scorer/features/FEATURES.md` describes each.
 */
export const FEATURE_NAMES = [
  ...MARKET_FEATURES,
  ...LIQUIDITY_FEATURES,
  ...CREATOR_FEATURES,
] as const;

/** The name of one feature. */
export type FeatureName = (typeof FEATURE_NAMES)[number];
export type LiquidityFeatureName = (typeof LIQUIDITY_FEATURES)[number];
export type CreatorFeatureName = (typeof CREATOR_FEATURES)[number];

/**
 * Features of who holds a token and who made it. They are reported with a verdict and are in no model: the
 * recordings hold the transfers of 29 tokens, too few to learn from.
 */
export const WALLET_FEATURES = [
  'holderCount',
  'holderTopTenShare',
  'holderHerfindahl',
  'holderClustering',
  'holderFreshShare',
  'creatorAgeS',
  'creatorFundedByCreator',
] as const;
export type WalletFeatureName = (typeof WALLET_FEATURES)[number];

/** Price of the token in its main market, and what sales of 1 %, 5 % and all of the tokens in other hands take out. In no model. */
export const QUOTE_FEATURES = [
  'price_native',
  'price_usd',
  'depth_1pct_usd',
  'depth_5pct_usd',
  'depth_100pct_usd',
] as const;

/** All features that a verdict may show: the five of the specification, price and depth, those of the model, then what is only reported. */
export const SHOWN_FEATURES: readonly string[] = [
  'holder_count',
  'transaction_count',
  'liquidity_usd',
  'top_10_concentration',
  'creator_risk_score',
  ...QUOTE_FEATURES,
  ...FEATURE_NAMES,
  ...WALLET_FEATURES,
  'market_probability',
];
