-- Before every script: entry ids, sizes, and the fence.

-- A write that changes nothing and that a full server lets through. After it the server
-- lets the other writes of this script through too: an owner must be able to take over and
-- to settle over `maxmemory`, or memory would never come free.
local function open_gate(own)
  redis.call('HDEL', own, '')
end

-- Numbers are compared as text: epochs and sequence numbers have more digits than a Lua
-- number holds.
local function higher(a, b)
  if #a ~= #b then
    return #a > #b
  end
  return a > b
end

-- Whether an id stands behind another. Of ids with 13 digits of time, as they are until the
-- year 2286, those of one length are in the order of their text.
local function later(a, b)
  if #a == #b and string.byte(a, 14) == 45 and string.byte(b, 14) == 45 then
    return a > b
  end
  local a_ms, a_seq = string.match(a, '^(%d+)-(%d+)$')
  local b_ms, b_seq = string.match(b, '^(%d+)-(%d+)$')
  if a_ms == b_ms then
    return higher(a_seq, b_seq)
  end
  return higher(a_ms, b_ms)
end

-- The epoch that fences this call, or nil when it is let through. A higher one is
-- installed on first sight.
local function fenced_by(own, epoch)
  local current = redis.call('HGET', own, 'epoch')
  if current == epoch then
    return nil
  end
  if current and higher(current, epoch) then
    return current
  end
  redis.call('HSET', own, 'epoch', epoch, 'handed', 0, 'handed_to', '0-0')
  return nil
end

-- Adds to a count, which never falls below zero.
local function count(own, field, by)
  if redis.call('HINCRBY', own, field, by) < 0 then
    redis.call('HSET', own, field, 0)
  end
end

-- What an entry costs beside its envelope: field names, time, id.
local OVERHEAD = 64

-- The envelope's size; of another producer's entry, all its values. A body that is gone
-- has none. The caller counts the same.
local function size_of(fields)
  local all = 0
  if fields then
    for i = 1, #fields, 2 do
      if fields[i] == 'envelope' then
        return #fields[i + 1]
      end
      all = all + #fields[i + 1]
    end
  end
  return all
end
