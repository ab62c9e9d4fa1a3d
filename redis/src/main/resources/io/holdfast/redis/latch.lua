-- A count-down latch.
--
-- KEYS 1 latch     hash    = -> "hf1 <count> <id of who has set it>", and a field for each that has counted down, so that one
--                          who says it twice counts once; with the latch's life as its expiry
--      2 waiters   zset    who waits -> expiry of its ticket, ms
-- ARGV 1 set | down | look | leave | clear
--      2 id        of who asks: <client>:<thread>:<number>; empty if it only looks
--      3 channel   what the name of every client's inbox starts with
--      4 what is put into messages
--      5 not after, server time in us: a request to set, count down or clear that arrives later is refused
--      set only:
--      6 count
--      7 life, ms
--      down and clear only:
--      6 the id of who has set the latch that is meant
--      look only, of one who waits:
--      6 life of a ticket, ms
-- Reply: { how often it has to be counted down until it is open, the id of who has set it }
--      -1 there is none
--      -2 something else stands there
--      -3 too late, and the server time in us

local latch, waiters = KEYS[1], KEYS[2]
local op, id, channel = ARGV[1], ARGV[2], ARGV[3]

-- At most so many are told in one run; each of them comes to look, and has more of them told.
local MOST_TOLD = 64

local function state()
  local text = redis.call('HGET', latch, '=')
  if not text then
    return redis.call('EXISTS', latch) == 0 and -1 or -2
  end
  local count, made = string.match(text, '^hf1 (%d+) (%S+)$')
  -- Nobody of ours has set one so high, and a larger number would not fit into the reply.
  if not count or #count > 9 then
    return -2
  end
  local left = count - (redis.call('HLEN', latch) - 1)
  -- Fields that nobody of ours has put there; and a number below zero would be taken for one of the replies.
  return left < 0 and -2 or left, made
end

local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Those who were there last first: they are most likely to be there still.
local function tell()
  for _, waiter in ipairs(redis.call('ZRANGE', waiters, -MOST_TOLD, -1)) do
    redis.call('ZREM', waiters, waiter)
    redis.call('PUBLISH', channel .. string.match(waiter, '^[^:]*'), waiter .. ' ' .. ARGV[4])
  end
end

-- Whoever was told that it failed must not see it happen later.
local now = micros()
if (op == 'set' or op == 'down' or op == 'clear') and now > tonumber(ARGV[5]) then
  return { -3, string.format('%.0f', now) }
end

local left, made = state()
if left == -2 then
  return { left }
end

-- One that is asked again after its answer was lost may find another latch, which it must not count for, nor forget.
if (op == 'down' or op == 'clear') and made ~= ARGV[6] then
  return { left, made }
end

if op == 'set' then
  if left == -1 then
    left, made = tonumber(ARGV[6]), id
    redis.call('HSET', latch, '=', 'hf1 ' .. ARGV[6] .. ' ' .. id)
    redis.call('PEXPIRE', latch, ARGV[7])
  end
elseif op == 'down' then
  if left > 0 then
    left = left - redis.call('HSETNX', latch, id, '1')
    if left == 0 then
      tell()
    end
  end
elseif op == 'leave' then
  redis.call('ZREM', waiters, id)
elseif op == 'clear' then
  redis.call('DEL', latch)
  tell()
elseif left == 0 then
  redis.call('ZREM', waiters, id)
  tell()
elseif id ~= '' then
  redis.call('ZADD', waiters, string.format('%.0f', now / 1000 + ARGV[6]), id)
  redis.call('PEXPIRE', waiters, 2 * ARGV[6])
end
return { left, made }
