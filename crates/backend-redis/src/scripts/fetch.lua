-- Hands out entries of one shard, in order, within the credit.
--
-- KEYS: stream, own, retry
-- ARGV: group, consumer, epoch, position (`pending`, `new`, `none`), cursor, events_max,
--       bytes_max
--
-- The cursor is the last entry that the caller has of this epoch. Entries behind it that
-- are pending already come first, so a call whose answer was lost is repeated without a
-- loss, and what was read beyond the credit comes with the next call.
--
-- Answers `fenced`, the epoch; or `read`, the cursor, whether the group was made, and the
-- entries: id, fields (false when the body is gone), retry state (false without).
local stream, own, retry = KEYS[1], KEYS[2], KEYS[3]
local group, consumer, epoch, position = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local cursor, events_max, bytes_max = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])

-- How many entries are read before their size is known; what goes over the credit is read
-- again.
local PAGE = 32

open_gate(own)
local current = fenced_by(own, epoch)
if current then
  return { 'fenced', current }
end

local made = 0

-- The group comes back from the start of the stream: what is there twice is recognized by
-- its key, what is skipped is lost. Everything on the stream waits again.
local function make_group()
  redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
  local kept = redis.call('HGET', own, 'kept')
  if kept then
    redis.call('HINCRBY', own, 'bytes', kept)
  end
  redis.call('HSET', own, 'waiting', redis.call('XLEN', stream), 'kept', 0, 'handed', 0,
    'handed_to', '0-0')
  made, cursor = 1, '0-0'
end

local function read(from, events)
  local reply = redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', events,
    'STREAMS', stream, from)
  if reply and reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    make_group()
    reply = redis.pcall('XREADGROUP', 'GROUP', group, consumer, 'COUNT', events,
      'STREAMS', stream, from)
  end
  if not reply then
    return {}
  end
  if reply.err then
    return reply
  end
  return reply[1][2]
end

-- The next page: as many as fit, by the size of those before.
local function page_of(entries, bytes)
  local fit = PAGE
  if #entries > 0 then
    fit = math.max(1, math.floor((bytes_max - bytes) * #entries / math.max(1, bytes)))
  end
  return math.min(fit, events_max - #entries)
end

local entries, bytes, full = {}, 0, position == 'none' or events_max == 0
-- Nothing is pending behind the cursor: what is read new from here on is taken whole.
local from = cursor
while not full do
  local events = page_of(entries, bytes)
  local page = read(from, events)
  if not page.err and #page == 0 and from ~= '>' and position == 'new' then
    from = '>'
    page = read(from, events)
  end
  if page.err then
    return page
  end
  full = #page == 0
  for _, entry in ipairs(page) do
    local size = size_of(entry[2])
    if #entries > 0 and bytes + size > bytes_max then
      full = true
      break
    end
    entry[3] = false
    entries[#entries + 1] = entry
    bytes, cursor = bytes + size, entry[1]
  end
  if from ~= '>' then
    from = cursor
  end
  full = full or #entries >= events_max
end

if #entries > 0 then
  local handed_to, handed = redis.call('HGET', own, 'handed_to') or '0-0', 0
  local has_retries = redis.call('EXISTS', retry) == 1
  for _, entry in ipairs(entries) do
    if has_retries then
      entry[3] = redis.call('HGET', retry, entry[1])
    end
    if later(entry[1], handed_to) then
      handed, handed_to = handed + 1, entry[1]
    end
  end
  if handed > 0 then
    redis.call('HINCRBY', own, 'handed', handed)
    redis.call('HSET', own, 'handed_to', handed_to)
  end
end
return { 'read', cursor, made, entries }
