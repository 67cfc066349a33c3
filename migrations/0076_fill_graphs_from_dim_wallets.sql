-- Wallets from before graphs were kept pass through the views once.
INSERT INTO dim_wallets SELECT * FROM dim_wallets FINAL
