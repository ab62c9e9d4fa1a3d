-- Renews leases. Never shortens one and never brings one back; each item stands alone.
--
-- KEYS 1..n        the locks
--      n+1..2n     who shares them; may be left out by who never shares, and while a slot is moved
-- ARGV 1           n
--      2..n+1      their owners
--      n+2..       the lease of each in ms, or of all
-- Reply: how many were renewed; then of each of the others which it is, and 0 if it is gone, 2 if it is shared, and not to be
--        renewed by its key alone

local n = tonumber(ARGV[1])
local nowMs

-- Renews a share whose time is not over, and what is kept of all shares at least as long.
local function renewShare(lock, holds, owner, lease)
  local expiry = redis.pcall('ZSCORE', lock, owner)
  if type(expiry) ~= 'string' then
    return false
  end
  if not nowMs then
    local time = redis.call('TIME')
    nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  if tonumber(expiry) <= nowMs then
    return false
  end
  -- First what a server without memory allows; it then allows what follows.
  for _, key in ipairs({ lock, holds }) do
    redis.call('PEXPIRE', key, math.max(redis.call('PTTL', key), tonumber(lease)))
  end
  if tonumber(expiry) < nowMs + lease then
    redis.call('ZADD', lock, string.format('%.0f', nowMs + lease), owner)
  end
  return true
end

local replies = { n }
for i = 1, n do
  local owner, lease = ARGV[i + 1], ARGV[n + 1 + i] or ARGV[n + 2]
  local mine = 'hf1:' .. owner .. ':'
  local holds = KEYS[n + i]
  -- Something else than a string in the lock's place is shared, or an error of that key alone.
  local value = redis.pcall('GET', KEYS[i])
  local renewed = false
  if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
    if redis.call('PTTL', KEYS[i]) < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[i], lease)
    end
    renewed = true
  elseif type(value) == 'table' and holds then
    renewed = renewShare(KEYS[i], holds, owner, lease)
  end
  if not renewed then
    replies[1] = replies[1] - 1
    replies[#replies + 1] = i
    replies[#replies + 1] = type(value) == 'table' and not holds and 2 or 0
  end
end
return replies
