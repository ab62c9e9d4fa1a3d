-- Renews leases. Never shortens one and never brings one back; each item stands alone.
--
-- KEYS 1..n        the locks
--      n+1..2n     their queues
-- ARGV 2i-1, 2i    owner and lease in ms of the i-th lock
-- Reply: for each lock, 0 gone, 1 renewed, 2 renewed and somebody waits

local n = #KEYS / 2
local replies = {}
for i = 1, n do
  local mine = 'hf1:' .. ARGV[2 * i - 1] .. ':'
  local lease = ARGV[2 * i]
  -- Something else than a string in the lock's place is an error of that key alone.
  local value = redis.pcall('GET', KEYS[i])
  if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
    if redis.call('PTTL', KEYS[i]) < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[i], lease)
    end
    replies[i] = redis.call('EXISTS', KEYS[n + i]) + 1
  else
    replies[i] = 0
  end
end
return replies
