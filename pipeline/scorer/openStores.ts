import { createPriceStore } from '../../shared/market/priceStore.ts';
import { createContractStore } from './contract/contractStore.ts';
import { createFeatureStore } from './features/featureStore.ts';
import { createHolderSalesStore } from './features/holderSalesStore.ts';
import { createWalletStore } from './features/walletStore.ts';
import { createHorizonStore } from './horizon/horizonStore.ts';
import { createActivityStore } from './ingest/activityStore.ts';
import { createFactStore } from './ingest/factStore.ts';
import { createLockStore } from './locks/lockStore.ts';
import { createOutcomeStore } from './outcome/outcomeStore.ts';
import { createLaunchStore } from './pool/launchStore.ts';
import { createPoolStore } from './pool/poolStore.ts';
import { createTokenMarketStore } from './pool/tokenMarkets.ts';
import { createReadCache } from './readCache.ts';
import { createTokenStore } from './token/tokenStore.ts';
import { createVerdictStore } from './verdict/verdictStore.ts';

/**
 * All stores of a scorer. Those that share `cache` keep what was read until one of them writes rows it depends on.
 */
export const openStores = ({
  clickhouse,
  pricing,
  clock,
}: Parameters<typeof createPriceStore>[0]) => {
  const cache = createReadCache();
  return {
    cache,
    facts: createFactStore(clickhouse, cache),
    tokens: createTokenStore(clickhouse, cache),
    pools: createPoolStore(clickhouse, cache),
    activity: createActivityStore(clickhouse),
    verdicts: createVerdictStore(clickhouse, cache),
    outcomes: createOutcomeStore(clickhouse),
    horizons: createHorizonStore(clickhouse),
    features: createFeatureStore(clickhouse, cache),
    markets: createTokenMarketStore(clickhouse, cache),
    locks: createLockStore(clickhouse, cache),
    launches: createLaunchStore(clickhouse, cache),
    holderSales: createHolderSalesStore(clickhouse, cache),
    wallets: createWalletStore(clickhouse, cache),
    contracts: createContractStore(clickhouse, cache),
    prices: createPriceStore({ clickhouse, pricing, clock }),
  };
};
export type Stores = ReturnType<typeof openStores>;
