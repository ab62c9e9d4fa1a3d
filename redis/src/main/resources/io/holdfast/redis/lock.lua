-- Acquires or releases one exclusive lock, or both in one go for two owners. Both stand in one script because both end by handing the lock to the head of
-- the queue, and one text cannot drift apart.
--
-- KEYS 1 lock      string  hf1:<owner>:<token>[+<further tokens>], with the lease as its expiry
--      2 queue     zset    owner -> place in line
--      3 tickets   hash    owner -> "<expiry of the ticket, ms> <length of a grant, ms> <tokens>"
--      4 fence     string  the last fencing token
-- ARGV 1 acquire | release
--      2 owner     <client>:<thread>:<number>
--      3 channel   what the name of every client's inbox starts with
--      release only:
--      4 anything: the time is wanted
--      acquire only:
--      4 lease, ms
--      5 not after, server time in us: a request that arrives later is refused
--      6 life of a ticket, ms; 0: does not wait
--      7 length of a grant, ms
--      8 how many tokens to reserve
--      9 exchange: an owner that gives up what it has first, and whose place in line the caller takes; or absent
-- Reply of acquire: { code, server time in us, 1 if the owner that gave up had the lock else 0, ... }
--      1 granted   token, how many are reserved from there on
--      2 queued    ms until the holder's expiry, place in line from 0, 1 if the holder will notify
--      3 busy
--      4 too late
--      5 the key has no expiry
--      6 no token: the counter is none, or at its end
--      7 ask again at once: dead tickets were cleared, and there are more
-- Reply of release: { 1 if the owner had the lock else 0, server time in us unless it was not wanted }

local lock, queue, tickets, fence = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local op, owner, channel = ARGV[1], ARGV[2], ARGV[3]

local mine = 'hf1:' .. owner .. ':'

-- At most so many dead tickets are cleared in one run; who asks next goes on.
local MOST_DEAD = 64
-- 2^53 - 1: up to here every whole number is one that Lua can tell from its neighbours.
local LAST_TOKEN = 9007199254740991
-- The counter may be ahead of the clock by this much, in us, before tokens are handed out one by one: less than where a
-- counter starts that was lost, so that tokens rise over that too.
local MOST_LEAD = 1900000

-- Read once in a run: expiry, tickets and tokens belong to one moment.
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- What most runs are: nobody waits, and the lock is free, or given back by its owner. The rest of the script would do the
-- same, and takes twice as long.
if op == 'release' then
  if not ARGV[4] and redis.call('EXISTS', queue) == 0 then
    local value = redis.pcall('GET', lock)
    if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
      redis.call('DEL', lock)
      return { 1 }
    end
  end
elseif ARGV[8] == '1' and not ARGV[9] and redis.call('EXISTS', lock, queue) == 0 then
  local seen = redis.call('GET', fence)
  local counter = seen and string.find(seen, '^%d+$') and tonumber(seen)
  local now = micros()
  local token = counter and math.max(counter + 1, now)
  if token and token <= LAST_TOKEN and now <= tonumber(ARGV[5]) then
    local text = string.format('%.0f', token)
    redis.call('SET', fence, text)
    redis.call('SET', lock, mine .. text, 'NX', 'PX', ARGV[4])
    return { 1, now, 0, token, 1 }
  end
end

local now = micros()
local nowMs = math.floor(now / 1000)
local value = redis.pcall('GET', lock)

-- For a release, something else than a string in the lock's place only means that the lock is gone.
if type(value) == 'table' and not (op == 'release' and string.find(value.err, 'WRONGTYPE', 1, true)) then
  return value
end

local isMine = type(value) == 'string' and string.sub(value, 1, #mine) == mine

-- The token and the number of tokens of a value of ours.
local function tokens(text)
  local token, more = string.match(text, '^(%d+)%+?(%d*)$')
  return tonumber(token), 1 + (tonumber(more) or 0)
end

local function drop(ticket)
  redis.call('ZREM', queue, ticket)
  redis.call('HDEL', tickets, ticket)
end

-- The first live ticket, the length of its grant and its tokens. Nothing, and true, if there may be more behind the dead.
local function first()
  for _ = 1, MOST_DEAD do
    local head = redis.call('ZRANGE', queue, 0, 0)[1]
    if not head then
      return nil, false
    end
    local expiry, grant, count = string.match(redis.call('HGET', tickets, head) or '', '^(%d+) (%d+) (%d+)$')
    if expiry and tonumber(expiry) > nowMs then
      return head, tonumber(grant), tonumber(count)
    end
    drop(head)
  end
  return nil, true
end

-- The first of so many tokens in a row, and how many they are: one if the counter runs ahead of the clock, which large
-- blocks would drive it to. Rises through expiry, deletion, FLUSHALL and restart, since the clock does.
-- Nothing if the counter is no number, or where Lua can no longer count: it would hand out one number twice.
local function nextTokens(count)
  local seen = redis.call('GET', fence)
  local counter = tonumber(string.match(seen or '', '^%d+$'))
  if not counter or counter - now > MOST_LEAD then
    count = 1
  end
  local last = counter and math.max(counter + count, now) or now + 2000000
  if seen and not counter or last > LAST_TOKEN then
    return nil
  end
  -- Formatted by hand: Lua would round it.
  redis.call('SET', fence, string.format('%.0f', last))
  return last - count + 1, count
end

local function give(to, wanted, expiry, ms)
  local token, count = nextTokens(wanted)
  if token then
    local more = count > 1 and '+' .. (count - 1) or ''
    redis.call('SET', lock, 'hf1:' .. to .. ':' .. string.format('%.0f', token) .. more, 'NX', expiry, ms)
  end
  return token, count
end

local function grant(to, ms, wanted)
  drop(to)
  -- The message gives the time, so the expiry has to count from that very time.
  local token, count = give(to, wanted, 'PXAT', string.format('%.0f', nowMs + ms))
  if token then
    local since = string.format(' %.0f %.0f %.0f %.0f ', token, count, ms, now)
    redis.call('PUBLISH', channel .. string.match(to, '^[^:]*'), to .. since .. lock)
  end
  return token
end

-- Hands a free lock to the first who waits.
local function passOn()
  local head, ms, count = first()
  if head then
    grant(head, ms, count)
  end
end

if op == 'release' then
  -- The first write is one that a server without memory allows; it then allows those that follow.
  drop(owner)
  local held = isMine
  if held then
    redis.call('DEL', lock)
  end
  if held or not value then
    passOn()
  end
  return { held and 1 or 0, now }
end

local lease, notAfter, ticketMs, grantMs = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local wanted, before = tonumber(ARGV[8]), ARGV[9]
local held, place = 0, nil

if before then
  place = redis.call('ZSCORE', queue, before)
  drop(before)
  local theirs = 'hf1:' .. before .. ':'
  if type(value) == 'string' and string.sub(value, 1, #theirs) == theirs then
    redis.call('DEL', lock)
    held, value = 1, false
  end
end

if now > notAfter then
  if before and not value then
    passOn()
  end
  return { 4, now, held }
end

if isMine then
  -- Asked again, or granted by another's release: the lease starts anew, and never gets shorter.
  drop(owner)
  if redis.call('PTTL', lock) < tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  return { 1, now, held, tokens(string.sub(value, #mine + 1)) }
end

local left, notifies
if value then
  left = redis.call('PTTL', lock)
  notifies = string.sub(value, 1, 4) == 'hf1:'
  if left == -1 then
    return { 5, now, held }
  end
else
  local head, more, count = first()
  if head == owner or not head and not more then
    -- The first write is one that a server without memory refuses, so that the caller is told.
    local token, got = give(owner, wanted, 'PX', lease)
    drop(owner)
    return { token and 1 or 6, now, held, token, got }
  end
  if not head then
    return { 7, now, held }
  end
  if not grant(head, more, count) then
    return { 6, now, held }
  end
  left = more
  notifies = true
end

if ticketMs == 0 then
  return { 3, now, held }
end
if not redis.call('ZSCORE', queue, owner) then
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  place = tonumber(place) or last and math.max(tonumber(last) + 1, now) or now
  redis.call('ZADD', queue, string.format('%.0f', place), owner)
end
redis.call('HSET', tickets, owner, string.format('%.0f', nowMs + ticketMs) .. ' ' .. grantMs .. ' ' .. wanted)
redis.call('PEXPIRE', queue, 2 * ticketMs)
redis.call('PEXPIRE', tickets, 2 * ticketMs)
return { 2, now, held, left, redis.call('ZRANK', queue, owner), notifies and 1 or 0 }
