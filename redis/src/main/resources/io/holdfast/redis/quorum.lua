-- One server's part in a lock that is held on a majority of independent servers. Each server decides for itself, and knows
-- nothing of the others; what their answers add up to is for the client to say.
--
-- KEYS 1 the lock, 2 who waits for it, 3 the counter of the fencing tokens, 4 whose turn it is
-- ARGV 1 what to do, 2 the holder: an owner id, and which of its attempts it is
--
-- acquire  3 lease in ms, 4 its place in line, 5 the last token the client proposes, 6 how many tokens it wants,
--          7 who is to be woken, or empty if it does not wait, 8 server time in us after which it is refused
--      Reply { code, server time in us, ... }
--      1 granted   first token, how many     2 had it before   first token, how many
--      3 busy      ms until it ends, what stands there          4 too late
--      5 the key has no expiry               6 no token: the counter is none, or at its end
-- settle   3 the tokens as they stand in the lock, 4 the tokens that are to stand there, 5 the last of these
--      Reply { 1 if it has the lock with those tokens now, else 0, server time in us }
-- retreat  3 who is to be woken some time, or empty, 4 its place in line
--      Reply { 1 if it had the lock, else 0, server time in us }
-- release  3 who no longer waits, 4 what the names of inboxes start with, 5 how long a turn lasts, in ms,
--          6 'time' if the server's time is wanted
--      Reply { 1 if it had the lock, else 0, server time in us, or 0 if it was not looked at }
-- introduce  KEYS 1 alone, where a client says who it is; ARGV 2 what it says, or empty to take it back, 3 for how long, in ms
--      Reply { 1, 0 }

local lock, queue, fence, turn = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local op, holder = ARGV[1], ARGV[2]

local mine = 'hf1:' .. holder .. ':'

-- Whoever waits asks again within a third of this.
local QUEUE_MS = 6000
-- Who has waited for longer than this, in us, and cannot be reached, is not about to listen any more.
local LISTENS_WITHIN = 2000000
-- 2^53 - 1: up to here every whole number is one that Lua can tell from its neighbours.
local LAST_TOKEN = 9007199254740991
-- At most so many who cannot be reached are passed over in one run.
local MOST_DEAD = 64

-- What most runs are: nobody waits, and the lock is free, or given back by its holder. The rest of the script would do the
-- same, and takes twice as long.
if op == 'release' then
  if ARGV[6] ~= 'time' and redis.call('EXISTS', queue, turn) == 0 then
    local value = redis.pcall('GET', lock)
    if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
      redis.call('DEL', lock)
      return { 1, 0 }
    end
  end
elseif op == 'acquire' and ARGV[6] == '1' and redis.call('EXISTS', lock, queue, turn) == 0 then
  local seen = redis.call('GET', fence)
  local counter = seen and string.find(seen, '^%d+$') and tonumber(seen)
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local token = counter and math.max(counter + 1, math.min(tonumber(ARGV[5]), now + 1000000))
  if token and token <= LAST_TOKEN and now <= tonumber(ARGV[8]) then
    local number = string.format('%.0f', token)
    redis.call('SET', fence, number)
    redis.call('SET', lock, mine .. number, 'NX', 'PX', ARGV[3])
    return { 1, now, token, 1 }
  end
elseif op == 'introduce' then
  if ARGV[2] == '' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  end
  return { 1, 0 }
end

-- Read once in a run.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local value = redis.pcall('GET', lock)
if type(value) == 'table' then
  -- Not a string: for all but an acquire that only means that the lock is gone.
  if op == 'acquire' or not string.find(value.err, 'WRONGTYPE', 1, true) then
    return value
  end
end
local isMine = type(value) == 'string' and string.sub(value, 1, #mine) == mine

local function text(number)
  -- Formatted by hand: Lua would round it.
  return string.format('%.0f', number)
end

-- The place is the client's word, so that it is the same on all servers, and all wake the same one.
local function wait(who, place)
  redis.call('ZADD', queue, 'NX', place, who)
  redis.call('PEXPIRE', queue, QUEUE_MS)
end

-- Where tokens stand that are at least as high as these. Nothing if the counter is no number.
local function counted(least)
  local seen = redis.call('GET', fence)
  local counter = tonumber(string.match(seen or '', '^%d+$'))
  if seen and not counter then
    return nil
  end
  return least(counter)
end

if op == 'acquire' then
  if now > tonumber(ARGV[8]) then
    return { 4, now }
  end
  local waiter = ARGV[7]
  if isMine then
    -- The lease starts anew, and never gets shorter.
    if redis.call('PTTL', lock) < tonumber(ARGV[3]) then
      redis.call('PEXPIRE', lock, ARGV[3])
    end
    local first, more = string.match(string.sub(value, #mine + 1), '^(%d+)%+?(%d*)$')
    return { 2, now, tonumber(first), 1 + (tonumber(more) or 0) }
  end
  if value then
    local left = redis.call('PTTL', lock)
    if left == -1 then
      return { 5, now }
    end
    if waiter ~= '' then
      wait(waiter, ARGV[4])
    end
    -- Whoever has put it there: no more of it than tells one holder from another.
    return { 3, now, left, string.sub(value, 1, 512) }
  end
  -- Who was told that it is free comes from further away than who has just let go of it, and would never be first.
  local next = redis.call('GET', turn)
  if next and next ~= waiter and not (next == '*' and redis.call('ZSCORE', queue, waiter)) then
    if waiter ~= '' then
      wait(waiter, ARGV[4])
    end
    return { 3, now, redis.call('PTTL', turn), 'hf1:' .. string.sub(next, 1, 512) .. ':turn' }
  end
  local wanted = tonumber(ARGV[6])
  local last = counted(function(counter)
    -- A client whose clock is wrong must not drive the counter away from the time, which is all that is left of it if it
    -- is lost; and one that was lost starts where no token was given out yet.
    return counter and math.max(counter + wanted, math.min(tonumber(ARGV[5]), now + 1000000)) or now + 2000000
  end)
  if not last or last > LAST_TOKEN then
    return { 6, now }
  end
  local first = last - wanted + 1
  redis.call('SET', fence, text(last))
  redis.call('SET', lock, mine .. text(first) .. (wanted > 1 and '+' .. (wanted - 1) or ''), 'NX', 'PX', ARGV[3])
  if waiter ~= '' then
    redis.call('ZREM', queue, waiter)
    redis.call('DEL', turn)
  end
  return { 1, now, first, wanted }
end

if op == 'settle' then
  -- Only what this server has answered: if the lock was lost and is another's, or was lost and came back with another
  -- token, others may have been in between.
  if value == mine .. ARGV[3] then
    local last = counted(function(counter)
      return math.max(counter or now + 2000000, tonumber(ARGV[5]))
    end)
    if not last then
      return { 0, now }
    end
    redis.call('SET', fence, text(last))
    redis.call('SET', lock, mine .. ARGV[4], 'XX', 'KEEPTTL')
    return { 1, now }
  end
  return { value == mine .. ARGV[4] and 1 or 0, now }
end

if op == 'retreat' then
  -- Wakes nobody: those who were in each other's way come back by themselves, each after a time of its own.
  if isMine then
    redis.call('DEL', lock)
    if ARGV[3] ~= '' then
      wait(ARGV[3], ARGV[4])
    end
  end
  return { isMine and 1 or 0, now }
end

-- The first write is one that a server without memory allows.
redis.call('ZREM', queue, ARGV[3])
if isMine then
  redis.call('DEL', lock)
  value = false
end
local next = redis.call('GET', turn)
if next == ARGV[3] then
  redis.call('DEL', turn)
  next = false
end
if not value and not next then
  local passed = 0
  for _ = 1, MOST_DEAD do
    local first = redis.call('ZRANGE', queue, passed, passed, 'WITHSCORES')
    next = first[1]
    if not next then
      break
    end
    local inbox = ARGV[4] .. string.match(next, '^[^:]*')
    if redis.call('PUBLISH', inbox, next .. ' ' .. holder .. ' ' .. lock) > 0 then
      -- A wake-up is used up, so that one who does not answer it costs one and no more.
      redis.call('ZREM', queue, next)
      redis.call('SET', turn, next, 'PX', ARGV[5])
      passed = 0
      break
    end
    if now - first[2] < LISTENS_WITHIN then
      passed = passed + 1
    else
      redis.call('ZREM', queue, next)
    end
  end
  if passed > 0 then
    -- Some have only just come, and will ask again once they listen: whoever comes after them has to wait a moment.
    redis.call('SET', turn, '*', 'PX', ARGV[5])
  end
end
return { isMine and 1 or 0, now }
