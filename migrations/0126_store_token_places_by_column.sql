-- Where few of many places are wanted, the narrow columns are read of all: in large parts each is a file of its own by now (0128), and they
-- are not worth a slow codec. Entries are read of single places. Parts become so as they merge.
ALTER TABLE token_places
  MODIFY COLUMN value CODEC(LZ4),
  MODIFY COLUMN text CODEC(LZ4),
  MODIFY COLUMN token CODEC(LZ4),
  MODIFY COLUMN percent CODEC(LZ4),
  MODIFY COLUMN risk CODEC(LZ4),
  MODIFY COLUMN created_at CODEC(LZ4),
  MODIFY COLUMN seq CODEC(LZ4),
  MODIFY COLUMN entry String CODEC(ZSTD(1)) SETTINGS (min_compress_block_size = 8192)
