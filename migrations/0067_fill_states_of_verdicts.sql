-- Verdicts from before the states were kept pass through the views once.
INSERT INTO token_verdicts SELECT * FROM token_verdicts FINAL
