-- Acquires or releases a lock, or both in one go for two owners. All of it stands in one script because all of it ends by
-- handing the lock to those at the head of the queue whom it fits, and one text cannot drift apart.
--
-- A lock is held whole by one, or shared by several: readers, as many as like, or holders of permits, as many as there are.
--
-- KEYS 1 lock      string  hf1:<owner>:<token>[+<further tokens>], with the lease as its expiry: one has it whole
--                  zset    owner -> expiry of its share, ms
--      2 queue     zset    owner -> place in line
--      3 tickets   hash    owner -> "<expiry of the ticket, ms> <length of a grant, ms> <tokens>[ <kind> <weight> <permits>]"
--      4 fence     string  the last fencing token
--      5 holds     hash    owner -> "<token> <weight>" for those who share, and = -> "<kind> <weight of all> <permits>"; may be
--                          left out by who never shares
-- ARGV 1 acquire | release | resize | together
--      2 owner     <client>:<thread>:<number>
--      3 channel   what the name of every client's inbox starts with; behind it a ? if there are servers with ears of their
--                  own, as in a cluster
--      release only:
--      4 anything: the time is wanted
--      5 and more: owners to whom the lock was passed on meanwhile, and whose tickets are of no use any more
--      resize only:
--      4 permits
--      acquire only:
--      4 lease, ms
--      5 not after, server time in us: a request that arrives later is refused
--      6 life of a ticket, ms; 0: does not wait
--      7 length of a grant, ms
--      8 how many tokens to reserve; 0: one, and if a ticket is granted as many as may follow it from the same client
--      9 exchange: an owner that gives up what it has first, and whose place in line the caller takes; or absent, or empty
--      10 to share it: r to read, p for permits
--      11, 12 how many permits, of how many
--      together only: several acquires in one, which differ in owner and time alone
--      2 and 3, 4 as above: of the first; 5 as above
--      6 to 8 as above
--      9 and more: owner and "not after" of each of the others
-- Reply of together: a list with the reply of each, if all of them are queued; nothing if they are to ask one by one
-- Reply of acquire: { code, server time in us, 1 if the owner that gave up had the lock else 0, ... }
--      1 granted   token, how many are reserved from there on
--      2 queued    ms until an expiry of what stands in the way, place in line from 0, 1 if the holder will notify; and who
--                  is directly before it, in line or as the holder, if no number of tokens was given and it has just come
--      3 busy
--      4 too late
--      5 the key has no expiry
--      6 no token: the counter is none, or at its end
--      7 ask again at once: dead tickets were cleared, or others let in, and there are more
--      8 used otherwise: how many permits it has, 0 if it is no semaphore
-- Reply of release, and of resize: { 1 if the owner had the lock else 0, server time in us unless it was not wanted }

local lock, queue, tickets, fence = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local op, owner, channel = ARGV[1], ARGV[2], ARGV[3]

local mine = 'hf1:' .. owner .. ':'

-- At most so many dead tickets are cleared in one run, and so many granted; who asks next goes on.
local MOST_DEAD = 64
local MOST_GRANTS = 64
-- At most so many whose client is away are passed over in one run.
local MOST_AWAY = 8
-- So many of one client can have a lock one after the other before the store is asked again.
local ROW = 64
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

local function holdsKey()
  return KEYS[5] or (string.gsub(queue, '~queue:', '~holds:', 1))
end

-- Puts some of one client in line behind somebody who has the lock whole and will notify: the reply of each. Nothing if it
-- is not as simple as that.
local function lineUp(owners, ends, ticketMs, grant, count)
  local value = redis.pcall('GET', lock)
  local holder = type(value) == 'string' and string.match(value, '^hf1:(.*):[%d+]*$')
  local left = holder and redis.call('PTTL', lock) or -1
  if left < 0 then
    return nil
  end
  local now = micros()
  for i = 1, #owners do
    if owners[i] == holder or now > tonumber(ends[i]) then
      return nil
    end
  end
  local tail = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
  local before, last = tail[1] or holder, tail[2]
  local place = last and math.max(tonumber(last) + 1, now) or now
  local ahead = last and redis.call('ZCARD', queue) or 0
  local ticket = string.format('%.0f %s %s', math.floor(now / 1000) + ticketMs, grant, count)
  local places, texts = {}, {}
  for i = 1, #owners do
    places[2 * i - 1], places[2 * i] = string.format('%.0f', place + i - 1), owners[i]
    texts[2 * i - 1], texts[2 * i] = owners[i], ticket
  end
  local added = redis.call('ZADD', queue, 'NX', unpack(places))
  redis.call('HSET', tickets, unpack(texts))
  redis.call('PEXPIRE', queue, 2 * ticketMs)
  redis.call('PEXPIRE', tickets, 2 * ticketMs)
  local replies = {}
  for i = 1, #owners do
    if added == #owners then
      replies[i] = { 2, now, 0, left, ahead + i - 1, 1, count == '0' and string.sub(before, 1, 512) or nil }
      before = owners[i]
    else
      -- Who stands there already keeps its place.
      replies[i] = { 2, now, 0, left, redis.call('ZRANK', queue, owners[i]), 1 }
    end
  end
  return replies
end

-- What most runs are: nobody waits, and the lock is free, or given back by the only one who has it. The rest of the script
-- would do the same, and takes twice as long.
if op == 'release' then
  if not ARGV[4] and redis.call('EXISTS', queue) == 0 then
    local value = redis.pcall('GET', lock)
    if type(value) == 'string' and string.sub(value, 1, #mine) == mine then
      redis.call('DEL', lock)
      return { 1 }
    end
    if type(value) == 'table' and redis.pcall('ZCARD', lock) == 1 and redis.call('ZSCORE', lock, owner) then
      redis.call('DEL', lock, holdsKey())
      return { 1 }
    end
  end
elseif op == 'acquire' and tonumber(ARGV[8]) < 2 and (ARGV[9] or '') == '' and redis.call('EXISTS', lock, queue) == 0 then
  local seen = redis.call('GET', fence)
  local counter = seen and string.find(seen, '^%d+$') and tonumber(seen)
  local now = micros()
  local token = counter and math.max(counter + 1, now)
  if token and token <= LAST_TOKEN and now <= tonumber(ARGV[5]) then
    local number = string.format('%.0f', token)
    redis.call('SET', fence, number)
    if ARGV[10] then
      local share = ARGV[10] .. ' ' .. ARGV[11] .. ' ' .. ARGV[12]
      local holds = holdsKey()
      redis.call('HSET', holds, owner, number .. ' ' .. ARGV[11], '=', share)
      redis.call('ZADD', lock, string.format('%.0f', math.floor(now / 1000) + ARGV[4]), owner)
      redis.call('PEXPIRE', lock, ARGV[4])
      redis.call('PEXPIRE', holds, ARGV[4])
    else
      redis.call('SET', lock, mine .. number, 'NX', 'PX', ARGV[4])
    end
    return { 1, now, 0, token, 1 }
  end
elseif op == 'together' then
  local owners, ends = { owner }, { ARGV[5] }
  for i = 9, #ARGV, 2 do
    owners[#owners + 1], ends[#ends + 1] = ARGV[i], ARGV[i + 1]
  end
  return lineUp(owners, ends, tonumber(ARGV[6]), ARGV[7], ARGV[8]) or {}
elseif op == 'acquire' and ARGV[6] ~= '0' and not ARGV[9] then
  local replies = lineUp({ owner }, { ARGV[5] }, tonumber(ARGV[6]), ARGV[7], ARGV[8])
  if replies then
    return replies[1]
  end
end

local now = micros()
local nowMs = math.floor(now / 1000)
local value = redis.pcall('GET', lock)
local holds = holdsKey()
local hearsAll = string.sub(channel, -1) ~= '?'
channel = hearsAll and channel or string.sub(channel, 1, -2)

-- How it is shared: nothing if it is not.
local kind, used, permits

local function text(number)
  -- Formatted by hand: Lua would round it.
  return string.format('%.0f', number)
end

-- Writes down how it is shared. The keys end with the last share; if that is over, so are all.
local function keep()
  local last = redis.call('ZRANGE', lock, -1, -1, 'WITHSCORES')[2]
  if not last or tonumber(last) <= nowMs then
    redis.call('DEL', lock, holds)
    kind = nil
    return
  end
  redis.call('HSET', holds, '=', kind .. ' ' .. text(used) .. ' ' .. text(permits))
  redis.call('PEXPIRE', lock, text(last - nowMs))
  redis.call('PEXPIRE', holds, text(last - nowMs))
end

local function takeAway(who)
  local weight = string.match(redis.call('HGET', holds, who) or '', ' (%d+)$')
  redis.call('ZREM', lock, who)
  redis.call('HDEL', holds, who)
  used = used - (tonumber(weight) or 0)
end

-- Whether somebody has a share whose time is not over.
local function shares(who)
  local expiry = kind and redis.call('ZSCORE', lock, who)
  return expiry and tonumber(expiry) > nowMs and tonumber(expiry)
end

if type(value) == 'table' and string.find(value.err, 'WRONGTYPE', 1, true) then
  local state = redis.pcall('HGET', holds, '=')
  kind, used, permits = string.match(type(state) == 'string' and state or '', '^([rp]) (%d+) (%d+)$')
  if kind then
    value, used, permits = false, tonumber(used), tonumber(permits)
    -- What is over is taken away before anything else, so that it cannot be renewed, and stands in nobody's way.
    local dead = 0
    while dead < MOST_DEAD do
      local first = redis.call('ZRANGE', lock, 0, 0, 'WITHSCORES')
      if not first[1] or tonumber(first[2]) > nowMs then
        break
      end
      takeAway(first[1])
      dead = dead + 1
    end
    if dead > 0 then
      keep()
    end
  end
end

-- For a release, something else in the lock's place only means that the lock is gone.
if type(value) == 'table' and not (op ~= 'acquire' and string.find(value.err, 'WRONGTYPE', 1, true)) then
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

-- So many at the head are passed over.
local away = 0

-- The first live ticket: who, the length of its grant, its tokens, and what it wants. Nothing, and true, if there may be
-- more behind the dead.
local function first()
  for _ = 1, MOST_DEAD do
    local head = redis.call('ZRANGE', queue, away, away)[1]
    if not head then
      return nil, false
    end
    local expiry, grant, count, share, weight, of =
      string.match(redis.call('HGET', tickets, head) or '', '^(%d+) (%d+) (%d+) ?([rp]?) ?(%d*) ?(%d*)$')
    if expiry and tonumber(expiry) > nowMs then
      return head, tonumber(grant), tonumber(count), share ~= '' and share or 'x', tonumber(weight), tonumber(of)
    end
    drop(head)
  end
  return nil, true
end

-- Whether what is held leaves room for this.
local function fits(share, weight)
  if value then
    return false
  end
  return not kind or share == kind and (share == 'r' or used + weight <= permits)
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
  redis.call('SET', fence, text(last))
  return last - count + 1, count
end

-- Gives it whole, or a share of it.
local function give(to, wanted, expiry, ms, share, weight, of)
  local token, count = nextTokens(share == 'x' and math.max(1, wanted) or 1)
  if not token then
    return nil
  end
  if share == 'x' then
    local more = count > 1 and '+' .. (count - 1) or ''
    redis.call('SET', lock, 'hf1:' .. to .. ':' .. text(token) .. more, 'NX', expiry, ms)
    value = true
    return token, count
  end
  if not kind then
    kind, used, permits = share, 0, of
  end
  -- First what may fail, if something else stands there: the lock would be left without an expiry.
  redis.call('HSET', holds, to, text(token) .. ' ' .. text(weight))
  redis.call('ZADD', lock, expiry == 'PXAT' and ms or text(nowMs + ms), to)
  used = used + weight
  keep()
  return token, count
end

-- Those of the same client directly behind one that has just left the queue, without the client.
local function behind(who)
  local client = string.match(who, '^[^:]*:')
  local list = ''
  for _, other in ipairs(redis.call('ZRANGE', queue, 0, ROW - 2)) do
    if string.sub(other, 1, #client) ~= client then
      break
    end
    list = list .. ',' .. string.sub(other, #client + 1)
  end
  return list
end

local function tell(to, news)
  redis.call('PUBLISH', channel .. string.match(to, '^[^:]*'), to .. news .. lock)
end

local function grant(to, ms, wanted, share, weight, of)
  drop(to)
  local followers = ''
  if wanted == 0 then
    wanted, followers = ROW, behind(to)
  end
  -- The message gives the time, so the expiry has to count from that very time.
  local token, count = give(to, wanted, 'PXAT', text(nowMs + ms), share, weight, of)
  if token then
    tell(to, string.format(' %.0f %.0f%s %.0f %.0f ', token, count, followers, ms, now))
  end
  return token
end

-- Whether this run has given something back. If not, and it is free, whoever had it died, and may stand in line with
-- another thread.
local givenBack = false

-- Whether somebody in line is to be passed over for once: its client hears nothing, so either it is gone, or it is about to
-- listen and to ask by itself, and keeps its place. Not where the order is a promise: permits, and tickets for one each.
local function isAway(who, share, wanted)
  if givenBack or share == 'p' or wanted == 0 or away >= MOST_AWAY or not hearsAll then
    return false
  end
  local heard = redis.pcall('PUBSUB', 'NUMSUB', channel .. string.match(who, '^[^:]*'))
  return heard[2] == 0
end

-- Hands what is free to those at the head of the queue, as many as it fits.
local function passOn()
  for _ = 1, MOST_GRANTS do
    local head, ms, count, share, weight, of = first()
    if not head or not fits(share, weight) then
      return
    end
    if isAway(head, share, count) then
      away = away + 1
    elseif not grant(head, ms, count, share, weight, of) then
      return
    end
  end
  local head = not value and first()
  if head then
    tell(head, ' ')
  end
end

if op == 'resize' then
  if kind == 'p' then
    permits = tonumber(ARGV[4])
    keep()
    passOn()
  end
  return { kind == 'p' and 1 or 0, now }
end

if op == 'release' then
  -- The first write is one that a server without memory allows; it then allows those that follow.
  drop(owner)
  if ARGV[5] then
    redis.call('ZREM', queue, unpack(ARGV, 5))
    redis.call('HDEL', tickets, unpack(ARGV, 5))
  end
  local held = isMine
  if held then
    redis.call('DEL', lock)
    value = false
  elseif shares(owner) then
    takeAway(owner)
    keep()
    held = true
  end
  givenBack = held
  if not value then
    passOn()
  end
  return { held and 1 or 0, now }
end

local lease, notAfter, ticketMs, grantMs = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local wanted, before = tonumber(ARGV[8]), ARGV[9] ~= '' and ARGV[9]
local share, weight, of = ARGV[10] or 'x', tonumber(ARGV[11] or 1), tonumber(ARGV[12] or 0)
local held, place, hadAll = 0, nil, false

-- One that had it whole and reads on does so in one step or not at all.
if before and share == 'r' and now > notAfter then
  return { 4, now, held }
end

if before then
  place = redis.call('ZSCORE', queue, before)
  drop(before)
  local theirs = 'hf1:' .. before .. ':'
  if type(value) == 'string' and string.sub(value, 1, #theirs) == theirs then
    redis.call('DEL', lock)
    held, value, hadAll = 1, false, true
  elseif shares(before) then
    takeAway(before)
    keep()
    held = 1
  end
  givenBack = held == 1
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
  if redis.call('PTTL', lock) <= tonumber(lease) then
    redis.call('PEXPIRE', lock, lease)
  end
  return { 1, now, held, tokens(string.sub(value, #mine + 1)) }
end

local expiry = shares(owner)
if expiry then
  drop(owner)
  if expiry <= nowMs + lease then
    redis.call('ZADD', lock, text(nowMs + lease), owner)
    keep()
  end
  return { 1, now, held, tonumber(string.match(redis.call('HGET', holds, owner), '^%d+')), 1 }
end

if before and share == 'r' and not hadAll then
  if not value then
    passOn()
  end
  return { 3, now, held }
end

-- Whether what is held is something else than what is asked for.
local function isOtherwise()
  return value and share == 'p' or kind and (kind == 'p' or share == 'p') and (kind ~= share or permits ~= of)
end

local function otherwise()
  if not value then
    passOn()
  end
  return { 8, now, held, kind == 'p' and permits or 0 }
end

if isOtherwise() then
  return otherwise()
end

local left, notifies
if value then
  left = redis.call('PTTL', lock)
  notifies = string.sub(value, 1, 4) == 'hf1:'
  if left == -1 then
    return { 5, now, held }
  end
else
  notifies = true
  -- One that had it whole and only reads from now on lets nobody in between.
  local downgrades = hadAll and share == 'r'
  local granted = 0
  for _ = 1, MOST_GRANTS do
    local head, more, count, theirShare, theirWeight, theirPermits = first()
    if downgrades or head == owner or not head and not more then
      if fits(share, weight) then
        -- The first write is one that a server without memory refuses, so that the caller is told.
        local token, got = give(owner, wanted, 'PX', lease, share, weight, of)
        drop(owner)
        if token and share ~= 'x' then
          passOn()
        end
        return { token and 1 or 6, now, held, token, got }
      end
      break
    end
    if not head then
      return { 7, now, held }
    end
    if not fits(theirShare, theirWeight) then
      break
    end
    if isAway(head, theirShare, count) then
      away = away + 1
    else
      if not grant(head, more, count, theirShare, theirWeight, theirPermits) then
        return { 6, now, held }
      end
      left = more
      granted = granted + 1
      if isOtherwise() then
        return otherwise()
      end
    end
  end
  if granted + away == MOST_GRANTS then
    return { 7, now, held }
  end
  if kind then
    left = redis.call('ZRANGE', lock, 0, 0, 'WITHSCORES')[2] - nowMs
  end
end

if ticketMs == 0 then
  return { 3, now, held }
end
if not redis.call('ZSCORE', queue, owner) then
  local last = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')[2]
  place = tonumber(place) or last and math.max(tonumber(last) + 1, now) or now
  redis.call('ZADD', queue, text(place), owner)
end
local wants = share ~= 'x' and ' ' .. share .. ' ' .. text(weight) .. ' ' .. text(of) or ''
redis.call('HSET', tickets, owner, text(nowMs + ticketMs) .. ' ' .. grantMs .. ' ' .. wanted .. wants)
redis.call('PEXPIRE', queue, 2 * ticketMs)
redis.call('PEXPIRE', tickets, 2 * ticketMs)
return { 2, now, held, left, redis.call('ZRANK', queue, owner), notifies and 1 or 0 }
