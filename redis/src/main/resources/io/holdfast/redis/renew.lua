-- Renews leases. Never shortens one and never brings one back; each item stands alone.
--
-- KEYS 1..n        the locks
--      n+1..2n     their queues; may be left out along with what follows while a slot is moved, when nobody is told to wait
--      2n+1..3n    who shares them; may be left out by who never shares
-- ARGV 2i-1, 2i    owner and lease in ms of the i-th lock
--      3           anything: KEYS 2 is not the queue of the only lock but who shares it, as may be wanted while a slot is moved
-- Reply: for each lock, 0 gone, 1 renewed, 2 renewed and somebody waits, 3 shared, and not to be renewed by its key alone

local n = math.floor(#ARGV / 2)
local sharesOnly = #ARGV == 3
local replies = {}
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

for i = 1, n do
  local owner, lease = ARGV[2 * i - 1], ARGV[2 * i]
  local mine = 'hf1:' .. owner .. ':'
  local queue = not sharesOnly and KEYS[n + i] or nil
  -- Something else than a string in the lock's place is shared, or an error of that key alone.
  local value = redis.pcall('GET', KEYS[i])
  local renewed = false
  if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
    if redis.call('PTTL', KEYS[i]) < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[i], lease)
    end
    renewed = true
  elseif type(value) == 'table' then
    local holds = sharesOnly and KEYS[2]
      or queue and (KEYS[2 * n + i] or (string.gsub(queue, '~queue:', '~holds:', 1)))
    if holds then
      renewed = renewShare(KEYS[i], holds, owner, lease)
    end
  end
  if queue then
    replies[i] = renewed and redis.call('EXISTS', queue) + 1 or 0
  else
    replies[i] = renewed and 1 or type(value) == 'table' and not sharesOnly and 3 or 0
  end
end
return replies
