-- Which entries of a stream are not acked by a group.

-- The id of the first pending entry, or the last delivered one; without a group neither.
local function edge_of(stream, group)
  local pending = redis.pcall('XPENDING', stream, group)
  if pending.err then
    return {}
  end
  if pending[1] > 0 then
    return { first = pending[2], pending = pending[1] }
  end
  for _, each in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    local fields = {}
    for i = 1, #each, 2 do
      fields[each[i]] = each[i + 1]
    end
    if fields['name'] == group then
      return { delivered = fields['last-delivered-id'], pending = 0 }
    end
  end
  return {}
end

local function field_of(fields, name)
  for i = 1, #fields, 2 do
    if fields[i] == name then
      return fields[i + 1]
    end
  end
  return nil
end

-- When an entry came, µs since 1970: by its writer's clock, else by its id.
local function came_at(entry)
  return field_of(entry[2], 'at') or (string.match(entry[1], '^(%d+)') .. '000')
end
