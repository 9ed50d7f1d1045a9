-- Settles entries of one shard: deferrals keep what was tried, acks end them. Sending the
-- same again changes nothing. An acked entry stays on the stream until it is trimmed.
--
-- KEYS: stream, own, retry
-- ARGV: group, epoch, number of deferrals, then for each deferral id and state, then for
--       each ack id and size
--
-- Answers `fenced`, the epoch; or `settled`, the bytes of acked entries that are kept.
local stream, own, retry = KEYS[1], KEYS[2], KEYS[3]
local group, epoch, deferrals = ARGV[1], ARGV[2], tonumber(ARGV[3])

open_gate(own)
local current = fenced_by(own, epoch)
if current then
  return { 'fenced', current }
end

local acks_from = 4 + deferrals * 2
for i = 4, acks_from - 1, 2 do
  local pending = redis.pcall('XPENDING', stream, group, ARGV[i], ARGV[i], 1)
  if pending.err or #pending > 0 then
    redis.call('HSET', retry, ARGV[i], ARGV[i + 1])
  end
end

-- Ids of one `XACK`. Each call is a command in the log of a server that has one, so they go
-- together. Of a page that was settled in part before, when an answer was lost, bytes are
-- counted by its mean: which of its entries were acked is not told.
local PAGE = 100

local handed_to = redis.call('HGET', own, 'handed_to') or '0-0'
local has_retries = redis.call('EXISTS', retry) == 1
local acked, handed, bytes = 0, 0, 0
for from = acks_from, #ARGV, PAGE * 2 do
  local ids, ids_handed, ids_bytes = {}, 0, 0
  for i = from, math.min(from + PAGE * 2 - 1, #ARGV), 2 do
    local id = ARGV[i]
    ids[#ids + 1] = id
    ids_bytes = ids_bytes + tonumber(ARGV[i + 1])
    if not later(id, handed_to) then
      ids_handed = ids_handed + 1
    end
  end
  local ended = redis.call('XACK', stream, group, unpack(ids))
  if ended > 0 then
    if has_retries then
      redis.call('HDEL', retry, unpack(ids))
    end
    acked = acked + ended
    bytes = bytes + math.floor(ids_bytes * ended / #ids)
    handed = handed + math.min(ids_handed, ended)
  end
end
if acked > 0 then
  count(own, 'waiting', 0 - acked)
  count(own, 'handed', 0 - handed)
  count(own, 'bytes', 0 - bytes)
  count(own, 'kept', bytes + acked * OVERHEAD)
  if redis.call('HGET', own, 'waiting') == '0' then
    redis.call('HSET', own, 'bytes', 0)
  end
end
return { 'settled', tonumber(redis.call('HGET', own, 'kept') or '0') }
