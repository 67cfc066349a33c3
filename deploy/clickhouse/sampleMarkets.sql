-- What the questions of QUESTIONS.md are asked of: three tokens on chain 1. RUG (a1…) lost its liquidity, TRAP (a2…) cannot be sold, CALM (a3…) is
-- fine. c1… made the first two and was paid by f1…, with which it is a ring, c2… made the third. d1… and d2… bought.
INSERT INTO dim_tokens (chain_id, token, name, symbol, decimals, total_supply, creator, creator_source, created_block, created_at, version) VALUES
  (1, unhex('c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'), 'Wrapped Ether', 'WETH', 18, NULL, '', 'unknown', 1, '2025-01-01 00:00:00', 2),
  (1, unhex('a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'), 'USD Coin', 'USDC', 6, NULL, '', 'unknown', 1, '2025-01-01 00:00:00', 2),
  (1, unhex(repeat('a1', 20)), 'Rug Pepe', 'RUG', 18, '1000000000000000000000', unhex(repeat('c1', 20)), 'deployment', 100, '2026-01-05 10:00:00', 2),
  (1, unhex(repeat('a2', 20)), 'Trap Inu', 'TRAP', 9, '1000000000000', unhex(repeat('c1', 20)), 'deployment', 200, '2026-01-05 12:00:00', 2),
  (1, unhex(repeat('a3', 20)), 'Calm Coin', 'CALM', 18, '500000000000000000000', unhex(repeat('c2', 20)), 'deployment', 300, '2026-01-06 09:00:00', 2);

INSERT INTO fact_markets (chain_id, protocol, market, block_number, block_hash, timestamp, factory, token0, token1, version) VALUES
  (1, 'uniswap_v2', unhex(concat(repeat('00', 12), repeat('b0', 20))), 2, '', '2025-01-01 00:00:00', unhex(repeat('fa', 20)), unhex('a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'), unhex('c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'), 2),
  (1, 'uniswap_v2', unhex(concat(repeat('00', 12), repeat('b1', 20))), 101, '', '2026-01-05 10:01:00', unhex(repeat('fa', 20)), unhex(repeat('a1', 20)), unhex('c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'), 2),
  (1, 'uniswap_v2', unhex(concat(repeat('00', 12), repeat('b3', 20))), 301, '', '2026-01-06 09:01:00', unhex(repeat('fa', 20)), unhex('a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'), unhex(repeat('a3', 20)), 2);

INSERT INTO dim_pools (chain_id, token, pool, other_token, token_is_0, created_block, version)
SELECT chain_id, if(is_0, token0, token1), substring(market, 13), if(is_0, token1, token0), is_0, block_number, version FROM fact_markets ARRAY JOIN [1, 0] AS is_0;

INSERT INTO fact_pool_events (chain_id, pool, block_number, block_hash, log_index, timestamp, tx_hash, kind, sender, recipient, amount0_in, amount1_in, amount0_out, amount1_out, reserve0, reserve1, version) VALUES
  (1, unhex(repeat('b0', 20)), 110, '', 1, '2026-01-05 10:05:00', unhex(repeat('e0', 32)), 'swap', '', unhex(repeat('d2', 20)), 0, '1000000000000000000', '3000000000', 0, 0, 0, 2),
  (1, unhex(repeat('b1', 20)), 111, '', 1, '2026-01-05 10:10:00', unhex(repeat('e1', 32)), 'swap', '', unhex(repeat('d1', 20)), 0, '2000000000000000000', '100000000000000000000', 0, 0, 0, 2),
  (1, unhex(repeat('b1', 20)), 112, '', 1, '2026-01-05 10:20:00', unhex(repeat('e2', 32)), 'swap', '', unhex(repeat('d2', 20)), 0, '1000000000000000000', '25000000000000000000', 0, 0, 0, 2),
  (1, unhex(repeat('b1', 20)), 120, '', 1, '2026-01-05 11:30:00', unhex(repeat('e3', 32)), 'burn', '', unhex(repeat('c1', 20)), 0, 0, '675000000000000000000', '13000000000000000000', 0, 0, 2),
  (1, unhex(repeat('b3', 20)), 310, '', 1, '2026-01-06 09:30:00', unhex(repeat('e4', 32)), 'swap', '', unhex(repeat('d1', 20)), '50000000', 0, 0, '100000000000000000000', 0, 0, 2),
  (1, unhex(repeat('b3', 20)), 320, '', 1, '2026-01-06 10:15:00', unhex(repeat('e5', 32)), 'swap', '', unhex(repeat('d2', 20)), '60000000', 0, 0, '100000000000000000000', 0, 0, 2),
  (1, unhex(repeat('b3', 20)), 320, '', 2, '2026-01-06 10:15:00', unhex(repeat('e5', 32)), 'sync', '', '', 0, 0, 0, 0, '1110000000', '300000000000000000000', 2);

INSERT INTO fact_transfers (chain_id, token, block_number, block_hash, log_index, timestamp, tx_hash, from_address, to_address, value, version) VALUES
  (1, unhex(repeat('a1', 20)), 100, '', 0, '2026-01-05 10:00:00', '', '', unhex(repeat('c1', 20)), '1000000000000000000000', 2),
  (1, unhex(repeat('a1', 20)), 101, '', 0, '2026-01-05 10:01:00', '', unhex(repeat('c1', 20)), unhex(repeat('b1', 20)), '800000000000000000000', 2),
  (1, unhex(repeat('a1', 20)), 111, '', 0, '2026-01-05 10:10:00', unhex(repeat('e1', 32)), unhex(repeat('b1', 20)), unhex(repeat('d1', 20)), '100000000000000000000', 2),
  (1, unhex(repeat('a1', 20)), 112, '', 0, '2026-01-05 10:20:00', unhex(repeat('e2', 32)), unhex(repeat('b1', 20)), unhex(repeat('d2', 20)), '24000000000000000000', 2),
  (1, unhex(repeat('a1', 20)), 112, '', 2, '2026-01-05 10:20:00', unhex(repeat('e2', 32)), unhex(repeat('b1', 20)), unhex(repeat('a1', 20)), '1000000000000000000', 2),
  (1, unhex(repeat('a1', 20)), 120, '', 0, '2026-01-05 11:30:00', unhex(repeat('e3', 32)), unhex(repeat('b1', 20)), unhex(repeat('c1', 20)), '675000000000000000000', 2),
  (1, unhex(repeat('a3', 20)), 300, '', 0, '2026-01-06 09:00:00', '', '', unhex(repeat('c2', 20)), '500000000000000000000', 2),
  (1, unhex(repeat('a3', 20)), 302, '', 0, '2026-01-06 09:02:00', '', unhex(repeat('c2', 20)), unhex('000000000000000000000000000000000000dead'), '100000000000000000000', 2);

INSERT INTO fact_native_transfers (chain_id, to_address, block_number, block_hash, tx_index, timestamp, tx_hash, from_address, value, version) VALUES
  (1, unhex(repeat('c1', 20)), 50, '', 0, '2026-01-04 20:00:00', unhex(repeat('e7', 32)), unhex(repeat('f1', 20)), '15000000000000000000', 2),
  (1, unhex(repeat('c2', 20)), 60, '', 0, '2026-01-04 21:00:00', unhex(repeat('e8', 32)), unhex(repeat('f2', 20)), '2000000000000000000', 2);

INSERT INTO token_verdicts (chain_id, token, block_number, name, symbol, prediction, confidence, risk_score, model, creator, liquidity_usd, created_at, analyzed_at, doc, version) VALUES
  (1, unhex(repeat('a1', 20)), 120, 'Rug Pepe', 'RUG', 'SCAM', 0.97, 97.12, 'm1', unhex(repeat('c1', 20)), 0, '2026-01-05 10:00:00', '2026-01-05 11:00:01', '{"features":{"holder_count":3},"shap_values":{"top_10_concentration":0.8,"check:fake_lock":2.5},"checks":[{"id":"sell_simulation","status":"pass","severity":"critical","reason":"A simulated sell succeeds."},{"id":"fake_lock","status":"fail","severity":"critical","reason":"The locker lets its owner take the liquidity out.","value":1},{"id":"mint_power","status":"fail","severity":"warning","reason":"One wallet can mint.","shown_by":"code","held_by":"wallet"}]}', 1),
  (1, unhex(repeat('a2', 20)), 210, 'Trap Inu', 'TRAP', 'SCAM', 0.99, 99.4, 'm1', unhex(repeat('c1', 20)), 500, '2026-01-05 12:00:00', '2026-01-05 12:10:00', '{"features":{"holder_count":9},"shap_values":{"top_10_concentration":0.4,"check:sell_simulation":5.5},"checks":[{"id":"sell_simulation","status":"fail","severity":"critical","reason":"A simulated sell reverts."},{"id":"fake_lock","status":"unknown","severity":"warning","reason":"No pool was seen."}]}', 1),
  (1, unhex(repeat('a3', 20)), 320, 'Calm Coin', 'CALM', 'LEGIT', 0.88, 12, 'm1', unhex(repeat('c2', 20)), 2220, '2026-01-06 09:00:00', '2026-01-06 10:15:02', '{"features":{"holder_count":120},"shap_values":{"top_10_concentration":-0.7},"checks":[{"id":"sell_simulation","status":"pass","severity":"critical","reason":"A simulated sell succeeds."},{"id":"fake_lock","status":"pass","severity":"warning","reason":"No lock is false.","value":0}],"locks":[{"kind":"liquidity","locker":"0x1010101010101010101010101010101010101010","lock_id":"7","asset":"0xb3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3","position":null,"market":"0xb3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3b3","owner":"0xc2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2c2","amount":"90","share":0.9,"locked_at_s":1767690000,"locked_tx":"0xe6","unlock_at_s":1799226000,"extended":0,"withdrawn":"0","state":"locked","belief":"code"}]}', 1);

INSERT INTO verdict_history (chain_id, token, block_number, as_of, trigger, prediction, confidence, risk_score, probability, model, analyzed_at, version) VALUES
  (1, unhex(repeat('a1', 20)), 101, '2026-01-05 10:01:00', 'birth', 'LEGIT', 0.6, 40, 0.4, 'm1', '2026-01-05 10:01:01', 1),
  (1, unhex(repeat('a1', 20)), 112, '2026-01-05 11:00:00', 'horizon:3600', 'SCAM', 0.97, 97.12, 0.9712, 'm1', '2026-01-05 11:00:01', 2),
  (1, unhex(repeat('a2', 20)), 210, '2026-01-05 12:10:00', 'birth', 'SCAM', 0.99, 99.4, 0.994, 'm1', '2026-01-05 12:10:00', 1),
  (1, unhex(repeat('a3', 20)), 320, '2026-01-06 10:15:00', 'event', 'LEGIT', 0.88, 12, 0.12, 'm1', '2026-01-06 10:15:02', 1);

INSERT INTO token_losses (chain_id, token, stolen_usd, victims, block_number, tx_hash, at, version) VALUES
  (1, unhex(repeat('a1', 20)), 9000, 2, 120, unhex(repeat('e3', 32)), '2026-01-05 11:30:00', 1),
  (1, unhex(repeat('a3', 20)), 0, 0, 0, '', 0, 1);

INSERT INTO token_outcomes (chain_id, token, market, judged_at, prediction, probability, critical_check, model, outcome, lead_s, left_usd, block_number, version) VALUES
  (1, unhex(repeat('a1', 20)), unhex(concat(repeat('00', 12), repeat('b1', 20))), '2026-01-05 11:01:00', 'SCAM', 0.9712, '', 'm1', 'rug', 1740, 39000, 400, 2),
  (1, unhex(repeat('a2', 20)), unhex(concat(repeat('00', 12), repeat('b2', 20))), '2026-01-05 13:05:00', 'SCAM', 0.994, 'sell_simulation', 'm1', 'rug', 3600, 500, 400, 2),
  (1, unhex(repeat('a3', 20)), unhex(concat(repeat('00', 12), repeat('b3', 20))), '2026-01-06 10:01:00', 'LEGIT', 0.12, '', 'm1', 'survived', NULL, 0, 400, 2);

INSERT INTO dim_wallets (chain_id, wallet, role, is_known_scammer, risk_score, reputation_score, tokens_created, scams, stolen_usd, victims, funder, cluster_id, first_seen, last_activity, steps, version) VALUES
  (1, unhex(repeat('f1', 20)), 'master', 1, 90, 10, 0, 0, 9000, 2, '', 'cl_1', '2026-01-04 20:00:00', '2026-01-05 11:40:00', [], 1),
  (1, unhex(repeat('c1', 20)), 'puppet', 1, 95, 5, 2, 2, 9000, 2, unhex(repeat('f1', 20)), 'cl_1', '2026-01-04 20:00:00', '2026-01-05 12:00:00',
    [(100, 'token_created', unhex(repeat('a1', 20)), '2026-01-05 10:00:00', 50, 0, '', '', 0, 0, ''),
     (120, 'token_flagged', unhex(repeat('a1', 20)), '2026-01-05 11:30:00', 20, -30, 'creator', 'rug_pull', 9000, 2, '')], 1),
  (1, unhex(repeat('c2', 20)), 'creator', 0, 30, 70, 1, 0, 0, 0, unhex(repeat('f2', 20)), '', '2026-01-04 21:00:00', '2026-01-06 09:02:00', [], 1);

INSERT INTO clusters (chain_id, cluster_id, name, size, risk_score, tokens_created, scams, stolen_usd, victims, members, evidence, merged_into, first_seen, last_activity, version) VALUES
  (1, 'cl_1', 'Ring One', 2, 97, 2, 2, 9000, 2,
    [(unhex(repeat('f1', 20)), 'master', 90, '2026-01-05 11:40:00'), (unhex(repeat('c1', 20)), 'puppet', 95, '2026-01-05 11:40:00')],
    [('deployer_funded', unhex(repeat('f1', 20)), unhex(repeat('c1', 20)), 0.9, unhex(repeat('e7', 32)), 50)], '', '2026-01-04 20:00:00', '2026-01-05 12:00:00', 1),
  (1, 'cl_0', 'Ring Nought', 0, 97, 0, 0, 0, 0, [], [], 'cl_1', '2026-01-04 20:00:00', '2026-01-05 12:00:00', 1);

INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, value_usd, weight, tx_count, first_at, last_at, tx_hash, version) VALUES
  (1, unhex(repeat('f1', 20)), 'edge', 'out', 'funded', unhex(repeat('c1', 20)), 45000, 0.9, 1, '2026-01-04 20:00:00', '2026-01-04 20:00:00', unhex(repeat('e7', 32)), 1),
  (1, unhex(repeat('c1', 20)), 'edge', 'in', 'funded', unhex(repeat('f1', 20)), 45000, 0.9, 1, '2026-01-04 20:00:00', '2026-01-04 20:00:00', unhex(repeat('e7', 32)), 1);

INSERT INTO chain_progress (chain_id, reader, block_number, timestamp, head, version) VALUES
  (1, 'scorer', 400, '2026-01-06 11:00:00', 400, 1);
