-- The id of the last entry of each stream, without its body; `0-0` of one that is not there.
--
-- KEYS: streams
local answers = {}
for place, stream in ipairs(KEYS) do
  answers[place] = '0-0'
  if redis.call('EXISTS', stream) == 1 then
    local info = redis.call('XINFO', 'STREAM', stream)
    for i = 1, #info, 2 do
      if info[i] == 'last-generated-id' then
        answers[place] = info[i + 1]
      end
    end
  end
end
return answers
