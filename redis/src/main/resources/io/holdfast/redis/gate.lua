-- Admits a write that carries a fencing token, unless a higher one was seen for the resource; writes at once, if told.
--
-- KEYS 1 gate      string  the highest token seen
--      2 data      optional: the key to write
-- ARGV 1 token     decimal digits
--      2 how long the gate remembers, ms
--      3 value     with KEYS 2: what to write
-- Reply: the highest token seen, as text: the caller's own if it was admitted

local token = ARGV[1]
local seen = redis.call('GET', KEYS[1])

-- Compared as text, since a token of another store may be beyond what Lua can count exactly. What is no token was not put
-- there by a gate, and nobody knows what the gate remembered before.
if seen and (not string.find(seen, '^%d+$') or #seen > #token or #seen == #token and seen > token) then
  -- No token is longer than 19 digits; what is, is none, and a little of it shows that.
  return string.sub(seen, 1, 40)
end
redis.call('SET', KEYS[1], token, 'PX', ARGV[2])
if KEYS[2] then
  redis.call('SET', KEYS[2], ARGV[3])
end
return token
