-- Pools from before graphs were kept pass through the views once.
INSERT INTO dim_pools SELECT * FROM dim_pools FINAL
