-- Lets go of the oldest acked entries: those that came before a time, or that are kept over
-- a limit. Never one that waits. It needs no fence: what is acked is acked under any epoch.
--
-- KEYS: stream, own
-- ARGV: group, before_us, kept_max, events_max, whether other groups count (`0`, `1`)
--
-- Answers how many went. One acked entry may stay that could go: the cut is an id that is
-- there.
local stream, own = KEYS[1], KEYS[2]
local group, before = ARGV[1], tonumber(ARGV[2])
local kept_max, events_max, others = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'

if redis.call('EXISTS', stream) == 0 then
  return 0
end
local edges = { edge_of(stream, group) }
if others then
  for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    edges[#edges + 1] = edge_of(stream, field_of(each, 'name'))
  end
end

local function waits(id)
  for _, edge in ipairs(edges) do
    local behind = edge.delivered and not later(id, edge.delivered)
    local acked = behind or (edge.first and later(edge.first, id))
    if not acked then
      return true
    end
  end
  return false
end

local kept = tonumber(redis.call('HGET', own, 'kept') or '0')
local page = redis.call('XRANGE', stream, '-', '+', 'COUNT', events_max)
local gone, freed, cut = 0, 0, nil
for i, entry in ipairs(page) do
  cut = entry[1]
  local over = kept - freed > kept_max or tonumber(came_at(entry)) < before
  if i == #page or not over or waits(entry[1]) then
    break
  end
  gone, freed = gone + 1, freed + size_of(entry[2]) + OVERHEAD
end
if gone > 0 then
  redis.call('XTRIM', stream, 'MINID', cut)
  count(own, 'kept', 0 - freed)
end
return gone
