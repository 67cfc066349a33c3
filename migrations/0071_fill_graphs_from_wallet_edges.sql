-- Edges from before graphs were kept pass through the views once.
INSERT INTO wallet_edges SELECT * FROM wallet_edges FINAL
