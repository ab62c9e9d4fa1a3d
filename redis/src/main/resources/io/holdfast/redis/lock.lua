-- Acquires or releases a lock, or both in one go for two owners. All of it stands in one script because all of it ends by
-- handing the lock to those at the head of the queue whom it fits, and one text cannot drift apart.
--
-- A lock is held whole by one, or shared by several: readers, as many as like, or holders of permits, as many as there are.
--
-- KEYS 1 lock      string  hf1:<owner>:<token>[+<further tokens>], with the lease as its expiry: one has it whole
--                  zset    owner -> expiry of its share, ms
--      2 queue     zset    owner -> place in line
--      3 tickets   hash    owner -> "<expiry of the ticket, ms> <length of a grant, ms> <tokens>[ <kind> <weight> <permits>]",
--                          the number of tokens being as below. A length with a - before it: nobody listened for the client when
--                          a holder had died, so it is passed over until its owner asks again
--      4 fence     string  the last fencing token
--      5 holds     hash    owner -> "<token>[+<further tokens>] <weight>" for those who share, and
--                          = -> "<kind> <weight of all> <permits>"; may be left out by who never shares
-- The inboxes of all clients start with the prefix that stands before ~fence. In a cluster, whose servers have ears of their
-- own, a fence has its slot behind it.
-- ARGV 1 A to acquire | R to release | resize | together
--      2 owner     <client>:<thread>:<number>
--      release only:
--      3 anything: the time is wanted
--      4 and more: owners to whom the lock was passed on meanwhile, and whose tickets are of no use any more; nor are the
--         permits that those tickets may have been given since
--      resize only:
--      3 permits
--      acquire only; what follows 4 may be left out from anywhere on, and 5 to 8 may be empty, which is the same:
--      3 lease, ms
--      4 not after, server time in us: a request that arrives later is refused
--      5 life of a ticket, ms; 0: does not wait; left out: 6000
--      6 length of a grant, ms; left out: as long as the lease, but 2000 at most
--      7 how many tokens to reserve; left out: one; 0: one, and if a ticket is granted as many as may follow it from the same
--        client; -n: the same, with n for each of these, who are fewer
--      8 exchange: an owner that gives up what it has first, and whose place in line the caller takes
--      9 to share it: r to read, p for permits
--      10, 11 how many permits, of how many
--      together only: several acquires in one, which differ in owner and time alone
--      2 to 7 as above, 2 and 4 being those of the first; none may be left out
--      8 and more: owner and "not after" of each of the others; for permits 8 is empty, 9 to 11 as above, and they follow
-- Reply of together: if all of them have just come to stand behind one another, the reply of the first; a list with the reply of
--      each, if some stood there before; nothing if they are to ask one by one
-- Reply of acquire: hf1:<owner>:<server time in us> if it is granted, that time is its only token, and nobody has given up;
--      or else { code, server time in us, 1 if the owner that gave up had the lock else 0, ... }
--      1 granted   token, how many are reserved from there on
--      2 queued    ms until an expiry of what stands in the way, place in line from 0, 1 if the holder will notify; and who
--                  is directly before it, in line or as the holder, if no number of tokens was given and it has just come.
--                  Of permits there may be many holders, so who is first in line for one is told of nobody, by an empty text
--      3 busy
--      4 too late
--      5 the key has no expiry
--      6 no token: the counter is none, or at its end
--      7 ask again at once: dead tickets were cleared, or others let in, and there are more
--      8 used otherwise: how many permits it has, 0 if it is no semaphore
-- Reply of release: 1 if the owner had the lock and the time is not wanted; or else
--      { 1 if the owner had the lock else 0, server time in us }
-- Reply of resize: { 1 if somebody has permits else 0, server time in us }

local lock, queue, tickets, fence = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local op, owner = ARGV[1], ARGV[2]

-- Server time in us, as text. Read once in a run: expiry, tickets and tokens belong to one moment.
local clock

-- What most runs are: nobody waits, and the lock is free, or given back by the only one who has it. The rest of the script
-- would do the same, and takes twice as long. Everything here is there because it takes the server fewer instructions: no
-- function is made before, numbers stay text, and a reply that is no list is not looked through for errors.
if op == 'R' then
  if not ARGV[3] and redis.call('EXISTS', queue) == 0 then
    local value = redis.pcall('GET', lock)
    if type(value) == 'string' and string.find(value, 'hf1:' .. owner .. ':', 1, true) == 1 then
      redis.call('DEL', lock)
      return 1
    end
    if type(value) == 'table' and redis.pcall('ZCARD', lock) == 1 and redis.call('ZSCORE', lock, owner) then
      redis.call('DEL', lock, KEYS[5] or (string.gsub(queue, '~queue:', '~holds:', 1)))
      return 1
    end
  end
elseif
  op == 'A'
  and (not ARGV[6] or (tonumber(ARGV[7]) or 1) < 2 and (ARGV[8] or '') == '')
  and redis.call('EXISTS', lock, queue) == 0
then
  local time = redis.call('TIME')
  clock = time[1] .. (#time[2] == 6 and time[2] or string.sub('00000' .. time[2], -6))
  -- Of as many digits, the larger number is the later text.
  if #clock == #ARGV[4] and clock <= ARGV[4] then
    -- The time is the token, unless the counter turns out to be ahead of it, or none.
    local seen, token = redis.call('SET', fence, clock, 'GET'), nil
    if seen and #seen == #clock and seen < clock and string.find(seen, '^%d+$') then
      token = clock
    elseif seen and string.find(seen, '^%d+$') and tonumber(seen) < 9007199254740991 then
      token = string.format('%.0f', math.max(tonumber(seen) + 1, tonumber(clock)))
      redis.call('SET', fence, token)
    elseif seen then
      redis.call('SET', fence, seen)
    else
      redis.call('DEL', fence)
    end
    if token then
      local held = 'hf1:' .. owner .. ':' .. token
      if ARGV[9] then
        local share = ARGV[9] .. ' ' .. ARGV[10] .. ' ' .. ARGV[11]
        local holds = KEYS[5] or (string.gsub(queue, '~queue:', '~holds:', 1))
        redis.call('HSET', holds, owner, token .. ' ' .. ARGV[10], '=', share)
        redis.call('ZADD', lock, string.format('%.0f', math.floor(clock / 1000) + ARGV[3]), owner)
        redis.call('PEXPIRE', lock, ARGV[3])
        redis.call('PEXPIRE', holds, ARGV[3])
      else
        redis.call('SET', lock, held, 'NX', 'PX', ARGV[3])
      end
      return token == clock and held or { 1, tonumber(clock), 0, tonumber(token), 1 }
    end
  end
end

-- At most so many dead tickets are cleared in one run, and so many granted; who asks next goes on.
local MOST_DEAD = 64
local MOST_GRANTS = 64
-- At most so many whose client is away are passed over: a row of served ones, and as many as may have waited behind it.
local MOST_AWAY = 192
-- How long a ticket lives, in ms, and for how long one must not have asked that is passed over although its order is a promise:
-- one that has asked since may be about to listen.
local TICKET, SILENCE = 6000, 500
-- So many of one client can have a lock one after the other before the store is asked again; and so many if each may have it
-- several times.
local ROW, SHORT_ROW = 64, 17
-- 2^53 - 1: up to here every whole number is one that Lua can tell from its neighbours.
local LAST_TOKEN = 9007199254740991
-- Blocks of tokens do not drive the counter further ahead of the clock than this, in us: less than where a counter starts that
-- was lost, so that tokens rise over that too. Whoever uses up a million in a second gets as many as the clock allows.
local MOST_LEAD = 1900000

local function micros()
  if not clock then
    local time = redis.call('TIME')
    clock = time[1] .. string.sub('00000' .. time[2], -6)
  end
  return tonumber(clock)
end

-- What an acquire may leave out. A client that waits looks again after a third of a ticket's life.
local ticketMs = tonumber(ARGV[5]) or TICKET
local grantMs = tonumber(ARGV[6]) or math.min(tonumber(ARGV[3]) or 0, 2000)
local asked = tonumber(ARGV[7]) or 1

-- When the first of those ends who have all permits of a semaphore, as the time in ms that is left. Nothing if it has some
-- to give, or one of these owners has one already.
local function allPermitsOut(others, of, nowMs)
  local state = redis.pcall('HGET', KEYS[5] or (string.gsub(queue, '~queue:', '~holds:', 1)), '=')
  local used, permits = string.match(type(state) == 'string' and state or '', '^p (%d+) (%d+)$')
  if not used or permits ~= of or tonumber(used) < tonumber(permits) or redis.call('ZSCORE', lock, owner) then
    return -1
  end
  for i = others, #ARGV, 2 do
    if redis.call('ZSCORE', lock, ARGV[i]) then
      return -1
    end
  end
  local first = redis.call('ZRANGE', lock, 0, 0, 'WITHSCORES')[2]
  return first and tonumber(first) > nowMs and first - nowMs or -1
end

-- Puts the caller, and others of its client whose arguments begin there, in line behind somebody who has the lock whole and
-- will notify, or behind those who have all of its permits: the reply of together. Nothing if it is not as simple as that.
local function lineUp(others, weight, of)
  local value = redis.pcall('GET', lock)
  local holder = not of and type(value) == 'string' and string.match(value, '^hf1:(.*):[%d+]*$')
  local now = micros()
  local left = -1
  if holder then
    left = redis.call('PTTL', lock)
  elseif of and type(value) == 'table' then
    left = allPermitsOut(others, of, math.floor(now / 1000))
  end
  if left < 0 or owner == holder or now > tonumber(ARGV[4]) then
    return nil
  end
  local tail = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
  local before, last = tail[1] or holder or '', tail[2]
  local place = last and math.max(tonumber(last) + 1, now) or now
  local ahead = last and redis.call('ZCARD', queue) or 0
  local ticket = string.format('%.0f %.0f %.0f', math.floor(now / 1000) + ticketMs, grantMs, asked)
  ticket = of and ticket .. ' p ' .. weight .. ' ' .. of or ticket
  local places, texts, count = { string.format('%.0f', place), owner }, { owner, ticket }, 1
  for i = others, #ARGV, 2 do
    local other = ARGV[i]
    if other == holder or now > tonumber(ARGV[i + 1]) then
      return nil
    end
    places[2 * count + 1], places[2 * count + 2] = string.format('%.0f', place + count), other
    texts[2 * count + 1], texts[2 * count + 2] = other, ticket
    count = count + 1
  end
  local added = redis.call('ZADD', queue, 'NX', unpack(places))
  redis.call('HSET', tickets, unpack(texts))
  redis.call('PEXPIRE', queue, 2 * ticketMs)
  redis.call('PEXPIRE', tickets, 2 * ticketMs)
  if added == count then
    return { 2, now, 0, left, ahead, 1, asked < 1 and string.sub(before, 1, 512) or nil }
  end
  -- Who stands there already keeps its place.
  local replies = {}
  for i = 1, count do
    replies[i] = { 2, now, 0, left, redis.call('ZRANK', queue, places[2 * i]), 1 }
  end
  return count > 1 and replies or replies[1]
end

if op == 'together' then
  local permits = ARGV[8] == ''
  return lineUp(permits and 12 or 8, permits and ARGV[10], permits and ARGV[11]) or {}
elseif op == 'A' and not clock and ticketMs > 0 and (not ARGV[8] or ARGV[8] == '' and ARGV[9] == 'p') then
  local reply = lineUp(#ARGV + 1, ARGV[10], ARGV[11])
  if reply then
    return reply
  end
end

local now = micros()
local nowMs = math.floor(now / 1000)
local value = redis.pcall('GET', lock)
local mine = 'hf1:' .. owner .. ':'
local holds = KEYS[5] or (string.gsub(queue, '~queue:', '~holds:', 1))
local prefix, slot = string.match(fence, '^(.*)~fence(:?)')
local channel, hearsAll = prefix .. '~inbox:', slot == ''

-- How it is shared: nothing if it is not. Whether somebody's time was over.
local kind, used, permits
local died = false

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
      died = true
      keep()
    end
  end
end

-- For a release, something else in the lock's place only means that the lock is gone.
if type(value) == 'table' and not (op ~= 'A' and string.find(value.err, 'WRONGTYPE', 1, true)) then
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

-- So many at the head are passed over; whether anybody listens for a client, of those it was asked for.
local away, heard = 0, {}

-- So many dead tickets this run has cleared.
local cleared = 0

-- The first live ticket that is not passed over: who, the length of its grant, its tokens, what it wants, and its expiry.
-- Nothing, and true, if there may be more behind the dead.
local function first()
  while cleared < MOST_DEAD do
    local head = redis.call('ZRANGE', queue, away, away)[1]
    if not head then
      return nil, false
    end
    local expiry, passed, grant, count, share, weight, of =
      string.match(redis.call('HGET', tickets, head) or '', '^(%d+) (-?)(%d+) (-?%d+) ?([rp]?) ?(%d*) ?(%d*)$')
    if not expiry or tonumber(expiry) <= nowMs then
      drop(head)
      cleared = cleared + 1
    elseif passed ~= '' and head ~= owner and away < MOST_AWAY then
      away = away + 1
    else
      share = share ~= '' and share or 'x'
      return head, tonumber(grant), tonumber(count), share, tonumber(weight), tonumber(of), tonumber(expiry)
    end
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

-- The first of so many tokens in a row, and how many they are: no more than the counter may be ahead of the clock, which
-- large blocks drive it to, and one if it is further. Rises through expiry, deletion, FLUSHALL and restart, since the clock does.
-- Nothing if the counter is no number, or where Lua can no longer count: it would hand out one number twice.
local function nextTokens(count)
  local seen = redis.call('GET', fence)
  local counter = tonumber(string.match(seen or '', '^%d+$'))
  count = counter and math.max(1, math.min(count, now + MOST_LEAD - counter)) or 1
  local last = counter and math.max(counter + count, now) or now + 2000000
  if seen and not counter or last > LAST_TOKEN then
    return nil
  end
  redis.call('SET', fence, text(last))
  return last - count + 1, count
end

-- Gives it whole, or a share of it.
local function give(to, wanted, expiry, ms, share, weight, of)
  local token, count = nextTokens(share == 'r' and 1 or math.max(1, wanted))
  if not token then
    return nil
  end
  local more = count > 1 and '+' .. (count - 1) or ''
  if share == 'x' then
    redis.call('SET', lock, 'hf1:' .. to .. ':' .. text(token) .. more, 'NX', expiry, ms)
    value = true
    return token, count
  end
  if not kind then
    kind, used, permits = share, 0, of
  end
  -- First what may fail, if something else stands there: the lock would be left without an expiry.
  redis.call('HSET', holds, to, text(token) .. more .. ' ' .. text(weight))
  redis.call('ZADD', lock, expiry == 'PXAT' and ms or text(nowMs + ms), to)
  used = used + weight
  keep()
  return token, count
end

-- Those of the same client directly behind one that has just left the queue, without the client.
local function behind(who, most)
  local client = string.match(who, '^[^:]*:')
  local list = ''
  for _, other in ipairs(redis.call('ZRANGE', queue, away, away + most - 2)) do
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
  if wanted < 1 then
    local row = wanted < 0 and SHORT_ROW or ROW
    wanted = row * math.max(1, -wanted)
    -- While there are permits left, those behind it are given theirs in this same run.
    if share ~= 'p' or (kind and used or 0) + weight >= (kind and permits or of) then
      followers = behind(to, row)
    end
  end
  -- The message gives the time, so the expiry has to count from that very time.
  local token, count = give(to, wanted, 'PXAT', text(nowMs + ms), share, weight, of)
  if token then
    tell(to, string.format(' %.0f %.0f%s %.0f %.0f ', token, count, followers, ms, now))
  end
  return token
end

-- Whether this run has given something back. If not, and it is free, whoever had it died, as has one whose share was over, and
-- may stand in line with another thread. Of what is shared there may be some to give without that, if somebody who wanted more
-- has given up.
local givenBack, shared = false, kind ~= nil

-- Passes over one in line whose client hears nothing, until it asks again: either it is gone, or it is about to listen and to
-- ask by itself, and keeps its place. Only where a holder died; and where the order is a promise, which it is for permits and
-- for tickets for one each, only if it has been silent for a while.
local function isAway(who, share, wanted, expiry)
  local hasDied = died or not givenBack and (op == 'A' or not shared)
  if not hasDied or away >= MOST_AWAY or not hearsAll then
    return false
  end
  if (share == 'p' or wanted < 1) and expiry - nowMs > TICKET - SILENCE then
    return false
  end
  local client = string.match(who, '^[^:]*')
  if heard[client] == nil then
    heard[client] = redis.pcall('PUBSUB', 'NUMSUB', channel .. client)[2] ~= 0
  end
  if heard[client] then
    return false
  end
  -- If it cannot be written down, on a server without memory, it is passed over all the same.
  redis.pcall('HSET', tickets, who, (string.gsub(redis.call('HGET', tickets, who), ' %-?', ' -', 1)))
  away = away + 1
  return true
end

-- Hands what is free to those at the head of the queue, as many as it fits.
local function passOn()
  for _ = 1, MOST_GRANTS do
    local head, ms, count, share, weight, of, expiry = first()
    if not head or not fits(share, weight) then
      return
    end
    if not isAway(head, share, count, expiry) and not grant(head, ms, count, share, weight, of) then
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
    local fewer = tonumber(ARGV[3]) < permits
    permits = tonumber(ARGV[3])
    keep()
    if fewer then
      -- What they have is to come back now, and not to go on within their clients. One who is not told goes on for no longer
      -- than those who wait there take to ask again, and to be refused.
      for _, who in ipairs(redis.call('ZRANGE', lock, 0, MOST_GRANTS - 1)) do
        tell(who, ' ')
      end
    end
    passOn()
  end
  return { kind == 'p' and 1 or 0, now }
end

if op == 'R' then
  -- The first write is one that a server without memory allows; it then allows those that follow.
  drop(owner)
  if ARGV[4] then
    redis.call('ZREM', queue, unpack(ARGV, 4))
    redis.call('HDEL', tickets, unpack(ARGV, 4))
    for i = 4, kind and #ARGV or 0 do
      if shares(ARGV[i]) then
        takeAway(ARGV[i])
        keep()
      end
    end
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

local lease, notAfter, before = ARGV[3], tonumber(ARGV[4]), ARGV[8] ~= '' and ARGV[8]
local share, weight, of = ARGV[9] or 'x', tonumber(ARGV[10] or 1), tonumber(ARGV[11] or 0)
local held, place, hadAll = 0, nil, false

-- One that had it whole and reads on does so in one step or not at all.
if before and share == 'r' and now > notAfter then
  return { 4, now, held }
end

if before then
  place = redis.call('ZSCORE', queue, before)
  if place and not (tonumber(string.match(redis.call('HGET', tickets, before) or '', '^%d+') or 0) > nowMs) then
    -- Its time was over, and its place with it.
    place = nil
  end
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
  return { 1, now, held, tokens(string.match(redis.call('HGET', holds, owner), '^%S+')) }
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

-- Puts the caller in line at that place.
local function stand(at)
  local wants = share ~= 'x' and ' ' .. share .. ' ' .. text(weight) .. ' ' .. text(of) or ''
  redis.call('ZADD', queue, 'NX', text(at), owner)
  redis.call('HSET', tickets, owner, text(nowMs + ticketMs) .. ' ' .. grantMs .. ' ' .. asked .. wants)
  redis.call('PEXPIRE', queue, 2 * ticketMs)
  redis.call('PEXPIRE', tickets, 2 * ticketMs)
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
  local steps = 0
  if place and ticketMs > 0 then
    -- Before anybody is granted it: it may be its own turn, and who else is would be told that those behind this place stand
    -- directly behind.
    stand(place)
  end
  for _ = 1, MOST_GRANTS do
    local head, more, count, theirShare, theirWeight, theirPermits, expiry = first()
    if downgrades or head == owner or not head and not more then
      if fits(share, weight) then
        -- The first write is one that a server without memory refuses, so that the caller is told.
        local token, got = give(owner, asked, 'PX', lease, share, weight, of)
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
    if not isAway(head, theirShare, count, expiry) then
      if not grant(head, more, count, theirShare, theirWeight, theirPermits) then
        return { 6, now, held }
      end
      left = more
      if isOtherwise() then
        drop(owner)
        return otherwise()
      end
    end
    steps = steps + 1
  end
  if steps == MOST_GRANTS then
    return { 7, now, held }
  end
  if kind then
    left = redis.call('ZRANGE', lock, 0, 0, 'WITHSCORES')[2] - nowMs
  end
end

if ticketMs == 0 then
  return { 3, now, held }
end
local follows
if not redis.call('ZSCORE', queue, owner) then
  local tail = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
  local last = tail[2]
  follows = share == 'p' and asked < 1 and not place and string.sub(tail[1] or '', 1, 512) or nil
  place = tonumber(place) or last and math.max(tonumber(last) + 1, now) or now
end
stand(place or now)
return { 2, now, held, left, redis.call('ZRANK', queue, owner), notifies and 1 or 0, follows }
