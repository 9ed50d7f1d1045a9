-- Lets go of the oldest acked entries: those that came before a time, or that are kept over
-- a limit. Never one that waits: entries behind it go one by one, so that a single event
-- that is retried for hours pins nothing but itself. It needs no fence: what is acked is
-- acked under any epoch.
--
-- KEYS: stream, own
-- ARGV: group, before_us, kept_max, events_max, whether other groups count (`0`, `1`), from
--
-- Answers how many went, and from where to look on; no such place when nothing more is to
-- go.
local stream, own = KEYS[1], KEYS[2]
local group, before = ARGV[1], tonumber(ARGV[2])
local kept_max, events_max, others = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5] == '1'
local from = ARGV[6]

if redis.call('EXISTS', stream) == 0 then
  return { 0, false }
end

-- Of each group that counts: its name, the last delivered and the first pending entry.
local groups = {}
for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local name = field_of(each, 'name')
  if others or name == group then
    groups[#groups + 1] = {
      name = name,
      delivered = field_of(each, 'last-delivered-id'),
      first = edge_of(stream, name).first,
    }
  end
end

local function is_acked(id)
  for _, each in ipairs(groups) do
    if later(id, each.delivered) then
      return false
    end
    local behind = each.first and not later(each.first, id)
    if behind and #redis.call('XPENDING', stream, each.name, id, id, 1) > 0 then
      return false
    end
  end
  return #groups > 0
end

local kept = tonumber(redis.call('HGET', own, 'kept') or '0')
local page = redis.call('XRANGE', stream, from, '+', 'COUNT', events_max)
local freed, over = 0, true
-- Acked entries before every one that waits are cut off at once.
local first_left, single, gone = nil, {}, 0
for _, entry in ipairs(page) do
  over = kept - freed > kept_max or tonumber(came_at(entry)) < before
  if not over then
    first_left = first_left or entry[1]
    break
  end
  if not is_acked(entry[1]) then
    first_left = first_left or entry[1]
  else
    if first_left or from ~= '-' then
      single[#single + 1] = entry[1]
    end
    gone, freed = gone + 1, freed + size_of(entry[2]) + OVERHEAD
  end
end

local last = page[#page] and page[#page][1]
if from == '-' and gone > #single then
  if first_left then
    redis.call('XTRIM', stream, 'MINID', first_left)
  else
    redis.call('XTRIM', stream, 'MINID', last)
    redis.call('XDEL', stream, last)
  end
end
if #single > 0 then
  redis.call('XDEL', stream, unpack(single))
end
if gone > 0 then
  count(own, 'kept', 0 - freed)
end
local more = over and #page == events_max
return { gone, more and '(' .. last }
