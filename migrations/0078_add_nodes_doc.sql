-- What the API shows of a node in one text: flag, score, cluster_id or -, creator, label. The label is last: it may hold spaces.
ALTER TABLE graph_nodes ADD COLUMN IF NOT EXISTS doc String MATERIALIZED concatWithSeparator(' ', toString(flag), toString(score),
  if(cluster_id = '', '-', cluster_id), lower(hex(creator)), label)
