-- Movements from before graphs were kept pass through the views once.
INSERT INTO graph_facts SELECT * FROM graph_facts FINAL
