-- Puts the envelopes of one shard on its stream, in the order given, and answers for each:
-- 0 enqueued, 1 duplicate, 2 conflict (not enqueued).
--
-- KEYS: stream, own, keys, keys:old
-- ARGV: group, shards, now_us, keys_before_us, then for each envelope
--       key id (16 bytes), payload digest (16 bytes), encoded envelope;
--       an empty key id and digest put the bytes there and remember nothing
--
-- A key is known from when it was last seen until `keys_before_us` passes that time, and
-- for as long as its last entry waits. Keys are forgotten a generation at a time: `keys`
-- takes what is new; once it is older than the retention it becomes `keys:old`, and what
-- was there goes, if nothing of it waits. So memory is bounded by two retentions, and no
-- index by time is needed.
local stream, own, keys, old = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, shards, now, before = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local state = redis.call('HMGET', own, 'shards', 'keys_since', 'old_seen', 'old_last')
if not state[1] then
  redis.call('HSET', own, 'shards', shards)
elseif state[1] ~= shards then
  return redis.error_reply('SHARDMAP ' .. state[1])
end

-- Entry ids are compared as text: sequence numbers have more digits than a Lua number.
local function later(a, b)
  local a_ms, a_seq = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_seq = string.match(b, '^(%d+)-(%d+)$')
  if a_ms == b_ms then
    a_ms, b_ms = a_seq, b_seq
  end
  if #a_ms ~= #b_ms then
    return #a_ms > #b_ms
  end
  return a_ms > b_ms
end

local edge
-- Whether an entry is not acked yet: pending or undelivered. Without a group all are.
local function waits(id)
  if not edge then
    edge = {}
    local pending = redis.pcall('XPENDING', stream, group)
    if not pending.err and pending[1] > 0 then
      edge.first = pending[2]
    elseif not pending.err then
      for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
        local fields = {}
        for i = 1, #each, 2 do
          fields[each[i]] = each[i + 1]
        end
        if fields['name'] == group then
          edge.delivered = fields['last-delivered-id']
        end
      end
    end
  end
  if edge.first then
    return not later(edge.first, id)
  end
  return not edge.delivered or later(id, edge.delivered)
end

local function known(key)
  local seen = redis.call('HGET', keys, key) or redis.call('HGET', old, key)
  if not seen then
    return nil
  end
  local at = struct.unpack('>d', string.sub(seen, 17, 24))
  if at < before and not waits(string.sub(seen, 25)) then
    return nil
  end
  return string.sub(seen, 1, 16)
end

local answers, count, keyed, bytes, last = {}, 0, 0, 0, nil
for i = 5, #ARGV, 3 do
  local key, digest, envelope = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local seen = key ~= '' and known(key) or nil
  if seen and seen ~= digest then
    answers[#answers + 1] = 2
  else
    last = redis.call('XADD', stream, '*', 'at', now, 'envelope', envelope)
    if key ~= '' then
      redis.call('HSET', keys, key, digest .. struct.pack('>d', tonumber(now)) .. last)
      keyed = keyed + 1
    end
    count, bytes = count + 1, bytes + #envelope
    answers[#answers + 1] = seen and 1 or 0
  end
end
if count == 0 then
  return answers
end

redis.call('HINCRBY', own, 'waiting', count)
redis.call('HINCRBY', own, 'bytes', bytes)
if keyed == 0 then
  return answers
end
redis.call('HSET', own, 'keys_seen', now, 'keys_last', last)
local since = state[2]
if not since then
  redis.call('HSET', own, 'keys_since', now)
elseif tonumber(since) < before then
  local idle = not state[3] or (tonumber(state[3]) < before and not waits(state[4]))
  if idle then
    redis.call('UNLINK', old)
    redis.call('RENAME', keys, old)
    redis.call('HSET', own, 'keys_since', now, 'old_seen', now, 'old_last', last)
  end
end
return answers
