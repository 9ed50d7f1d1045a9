-- Binds the queue to a map, whatever it was bound to, also in a server that is full: what
-- waits there could not be drained otherwise.
--
-- KEYS: meta
-- ARGV: the map's name
open_gate(KEYS[1])
redis.call('HSET', KEYS[1], 'authority', ARGV[1])
return 'bound'
