-- Acquires or releases several locks in one go. What is done to each is what lock.lua does to one: its text stands before
-- this one, as the function lock(KEYS, ARGV).
--
-- KEYS 1           fence
--      then for each lock: lock, queue, tickets, holds
-- ARGV 1 A to acquire | R to release
--      release only, for each lock: owner
--      acquire only:
--      2 not after, server time in us
--      3 1: those before one that is not to be had are kept; otherwise they are given up again
--      then for each lock: owner, lease in ms, x whole or r to read or p for permits, how many permits, of how many
-- Reply of acquire: what lock.lua replies, for each lock up to the first that is not granted
-- Reply of release: for each lock, 1 if the owner had it else 0
-- Both may be shorter, but never empty: the rest is to be asked for anew.

local n = (#KEYS - 1) / 4
local replies = {}

local function run(i, args)
  local first = 4 * i - 2
  local keys = { KEYS[first], KEYS[first + 1], KEYS[first + 2], KEYS[1], KEYS[first + 3] }
  local done, reply = pcall(lock, keys, args)
  if not done then
    -- A message, or on newer servers a table with one.
    return type(reply) == 'table' and reply or { err = reply }
  end
  return reply
end

if ARGV[1] == 'R' then
  for i = 1, n do
    local reply = run(i, { 'R', ARGV[1 + i] })
    if type(reply) == 'table' and reply.err then
      return i == 1 and reply or replies
    end
    replies[i] = type(reply) == 'table' and reply[1] or reply
  end
  return replies
end

local notAfter, part = ARGV[2], ARGV[3] == '1'

local function acquire(i)
  local owner, lease, share, weight, of = unpack(ARGV, 5 * i - 1, 5 * i + 3)
  if share == 'x' then
    return run(i, { 'A', owner, lease, notAfter, '0' })
  end
  return run(i, { 'A', owner, lease, notAfter, '0', '', '', '', share, weight, of })
end

for i = 1, n do
  local reply = acquire(i)
  local code = type(reply) == 'table' and reply[1]
  if code == 1 or type(reply) == 'string' then
    replies[i] = reply
  elseif code == 3 or code == 5 or code == 8 then
    if not part then
      for taken = 1, i - 1 do
        run(taken, { 'R', ARGV[5 * taken - 1] })
      end
    end
    replies[i] = reply
    break
  else
    -- What went wrong is told to whoever asks for this one first.
    return i == 1 and (reply.err and reply or { reply }) or replies
  end
end
return replies
