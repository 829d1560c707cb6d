-- Trillian keeps a row for each batch for ever. This removes those that were replaced more than
-- a day ago, and never a tree's newest. Let it run once a day, from anywhere:
--
--	psql -f prune.sql postgresql://trillian@postgres-1,postgres-2/trillian?target_session_attrs=read-write
DELETE FROM TreeHead h
WHERE h.TreeHeadTimestamp < (extract(epoch FROM now() - interval '1 day') * 1e9)::bigint
  AND EXISTS (SELECT 1 FROM TreeHead newer WHERE newer.TreeId = h.TreeId AND newer.TreeHeadTimestamp > h.TreeHeadTimestamp);
