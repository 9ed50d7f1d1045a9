-- What waits, for shards of one slot.
--
-- KEYS: stream and own of each shard
-- ARGV: group, then `counted` or `foreign` for each shard
--
-- Answers for each shard with entries: its place in the list, waiting, handed out, bytes,
-- when the oldest came. A stream of other producers has no count of its own; what is not
-- delivered there is the server's count, else at most COUNTED_MAX.
local group = ARGV[1]
local COUNTED_MAX = 1000

local function number(value)
  return tonumber(value or '0')
end

local function undelivered(stream)
  if redis.call('EXISTS', stream) == 0 then
    return 0
  end
  for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if field_of(each, 'name') == group then
      local lag = field_of(each, 'lag')
      if lag then
        return lag
      end
      local after = '(' .. field_of(each, 'last-delivered-id')
      return #redis.call('XRANGE', stream, after, '+', 'COUNT', COUNTED_MAX)
    end
  end
  return redis.call('XLEN', stream)
end

local function oldest(stream, edge)
  local from = edge.first or (edge.delivered and '(' .. edge.delivered) or '-'
  local page = redis.call('XRANGE', stream, from, '+', 'COUNT', 1)
  return page[1] and came_at(page[1]) or false
end

local answers = {}
for place = 1, #KEYS / 2 do
  local stream, own = KEYS[place * 2 - 1], KEYS[place * 2]
  local counts = redis.call('HMGET', own, 'waiting', 'handed', 'bytes')
  local waiting, edge = number(counts[1]), nil
  if ARGV[place + 1] == 'foreign' then
    edge = edge_of(stream, group)
    waiting = (edge.pending or 0) + undelivered(stream)
  end
  if waiting > 0 then
    edge = edge or edge_of(stream, group)
    answers[#answers + 1] = { place, waiting, number(counts[2]), number(counts[3]),
      oldest(stream, edge) }
  end
end
return answers
