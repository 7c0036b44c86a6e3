-- The budget of one upstream, in one hash. It implements decide() of decide.ts bit for bit: change both together.
-- KEYS[1]: the hash. ARGV[1]: the operation. ARGV[2]: Unix milliseconds instead of this server's clock (tests only, else empty).
--
-- Fields: tat, log (doubles, 8 bytes each, oldest first), day, used_<lane>, paused_second, paused_day: `BudgetState`.
--   server, epoch: the server and the lease of PostgreSQL's row for which this state was built. If either changed, the state is lost.
--   lease_until: end of the lease, by this server's clock. reserved_day, reserved_<lane>: the counts reserved in the row.
--   asked_<lane>: when a client was last told to reserve ahead.
local day_ms = 86400000
local key = KEYS[1]
local lanes = { 'withdrawal', 'deposit', 'rescreen' }
local texts = { 'server', 'epoch', 'log' }
local numbers = { 'tat', 'day', 'paused_second', 'paused_day', 'lease_until', 'reserved_day' }
for _, lane in ipairs(lanes) do
  for _, what in ipairs({ 'used_', 'reserved_', 'asked_' }) do table.insert(numbers, what .. lane) end
end

-- All 17 digits: tostring() would round.
local function exact(number) return string.format('%.17g', number) end

local function number(at) return tonumber(ARGV[at]) end

local function clock()
  if ARGV[2] ~= '' then return number(2) end
  local time = redis.call('TIME')
  return time[1] * 1000 + time[2] / 1000
end

-- Identifies this process and its history: changes with every restart, promotion of a replica and return of a former primary. Nil on a replica.
local function this_server()
  local info = redis.call('INFO', 'server', 'replication')
  if not string.find(info, 'role:master', 1, true) then return nil end
  return string.match(info, 'run_id:(%x+)') .. string.match(info, 'master_replid:(%x+)')
end

local function load()
  local state, names = {}, {}
  for _, name in ipairs(texts) do table.insert(names, name) end
  for _, name in ipairs(numbers) do table.insert(names, name) end
  local values = redis.call('HMGET', key, unpack(names))
  for i, name in ipairs(names) do
    if i <= #texts then state[name] = values[i] or '' else state[name] = tonumber(values[i] or 0) end
  end
  return state
end

local function save(fields)
  local flat = {}
  for name, value in pairs(fields) do
    table.insert(flat, name)
    table.insert(flat, type(value) == 'number' and exact(value) or value)
  end
  redis.call('HSET', key, unpack(flat))
end

local function timestamp_at(log, i) return (struct.unpack('<d', log, 8 * i - 7)) end

local here = this_server()
if here == nil then return redis.error_reply('READONLY a replica cannot grant') end
local now = clock()
local s = load()
local is_lost = s.epoch == '' or s.server ~= here

local function lost() return { 'lost', exact(now), here, s.epoch } end

local function no_such(lane) return redis.error_reply('ERR no such lane: ' .. lane) end

local operations = {}

-- ARGV: `ruleArguments` of decide.ts as JSON, plus block (creates reserved ahead) and lease_ms (the longest lease).
-- Answers: granted, count, whether to reserve ahead (0 or 1), the need, the logged time (empty: none) | refused, wait_ms, window
--          | reserve, creates available without it, the need | lost, … A need is: now, server, epoch, day, the count to reserve up to.
function operations.take()
  local ask = cjson.decode(ARGV[3])
  local lane, most, late_ms = ask.lane, ask.most, ask.late_ms
  local logged, span_ms, interval_ms, tolerance_ms, ticks_per_ms = ask.logged, ask.span_ms, ask.interval_ms, ask.tolerance_ms, ask.ticks_per_ms
  local per_day, reserve, rescreen_most, guard_ms, block, lease_ms = ask.per_day, ask.reserve, ask.rescreen_most, ask.guard_ms, ask.block, ask.lease_ms
  if s['used_' .. lane] == nil then return no_such(lane) end
  if is_lost then return lost() end

  local function refuse(window, earliest) return { 'refused', math.max(1, math.ceil(earliest - now)), window } end
  local today = math.max(s.day, math.floor(now / day_ms))
  if today ~= s.day then
    for _, each in ipairs(lanes) do s['used_' .. each] = 0 end
  end
  local used = s['used_' .. lane]
  local opens = today * day_ms + guard_ms
  local room = per_day - s.used_withdrawal - s.used_deposit - s.used_rescreen
  if lane ~= 'withdrawal' then room = room - math.max(0, reserve - s.used_withdrawal) end
  if lane == 'rescreen' then room = math.min(room, rescreen_most - s.used_rescreen) end
  if now < s.paused_day then return refuse('day', s.paused_day) end
  if room <= 0 then return refuse('day', opens + day_ms) end
  local held = #s.log / 8
  local earliest = math.max(s.tat - tolerance_ms, s.paused_second, opens)
  if logged > 0 and held >= logged then earliest = math.max(earliest, timestamp_at(s.log, held - logged + 1) + span_ms) end
  if now < earliest then return refuse('second', earliest) end
  if now >= (today + 1) * day_ms - guard_ms then return refuse('second', opens + day_ms) end

  local smooth = 1 + math.max(0, math.floor((tolerance_ms - (math.max(s.tat, now) - now)) / interval_ms))
  local count = math.min(most, room, smooth)
  if logged > 0 and count > 1 then
    local free = logged
    for i = math.max(1, held - logged + 1), held do
      if now < timestamp_at(s.log, i) + span_ms then free = free - 1 end
    end
    count = math.min(count, free)
  end

  -- A grant needs a reservation in PostgreSQL and a lease in force. An end further away than lease_ms was written before the clock was set back.
  local is_held = now < s.lease_until and s.lease_until <= now + lease_ms
  local reserved = today == s.reserved_day and s['reserved_' .. lane] or 0
  -- The less is left, the less may be reserved ahead, which a lost server wastes.
  local ahead = math.min(room - count, block, math.max(1, math.floor((room - count) / 4)))
  local upto = used + count + ahead
  if not is_held or used + count > reserved then
    return { 'reserve', is_held and math.max(0, reserved - used) or 0, exact(now), here, s.epoch, today, upto }
  end
  local sent_from = logged == 0 and now + late_ms or now
  local log, logged_at = '', ''
  if logged > 0 then
    local at = held > 0 and math.max(now + late_ms, timestamp_at(s.log, held)) or now + late_ms
    log = string.sub(s.log .. string.rep(struct.pack('<d', at), count), -8 * logged)
    logged_at = exact(at)
  end
  local is_low = reserved - used - count < ahead / 2 or s.lease_until - now < lease_ms / 2
  local is_asked = math.abs(now - s['asked_' .. lane]) < lease_ms / 8
  local changed = { tat = math.max(sent_from, s.tat) + math.ceil(count * interval_ms * ticks_per_ms) / ticks_per_ms, log = log, day = today }
  for _, each in ipairs(lanes) do changed['used_' .. each] = s['used_' .. each] end
  changed['used_' .. lane] = used + count
  if is_low and not is_asked then changed['asked_' .. lane] = now end
  save(changed)
  return { 'granted', count, is_low and not is_asked and 1 or 0, exact(now), here, s.epoch, today, upto, logged_at }
end

-- settle() of decide.ts. ARGV: the logged time, the time to log instead (empty: unused), the count.
function operations.settle()
  if is_lost then return { 'kept' } end
  local logged_at, left = number(3), number(5)
  local timestamps = {}
  for i = 1, #s.log / 8 do
    local at = timestamp_at(s.log, i)
    if at == logged_at and left > 0 then
      left = left - 1
      at = tonumber(ARGV[4])
    end
    if at ~= nil then table.insert(timestamps, at) end
  end
  table.sort(timestamps)
  for i, at in ipairs(timestamps) do timestamps[i] = struct.pack('<d', at) end
  save({ log = table.concat(timestamps) })
  return { 'settled' }
end

-- PostgreSQL has reserved. ARGV: epoch, lease_until, lease_ms, day, and the row's count for each lane.
function operations.extend()
  if is_lost or s.epoch ~= ARGV[3] then return { 'lost' } end
  local lease_until, lease_ms, day = number(4), number(5), number(6)
  local changed = {}
  if lease_until > s.lease_until or s.lease_until > now + lease_ms then changed.lease_until = lease_until end
  if day >= s.reserved_day then
    changed.reserved_day = day
    for i, lane in ipairs(lanes) do
      local before = day == s.reserved_day and s['reserved_' .. lane] or 0
      changed['reserved_' .. lane] = math.max(before, number(6 + i))
    end
  end
  if next(changed) ~= nil then save(changed) end
  return { 'extended' }
end

-- PostgreSQL has given this server the lease. ARGV: the epoch seen before, the new one, lease_until, the waits in milliseconds of the second
-- and the day, the day, and the row's count for each lane. Larger values of this server stay.
function operations.adopt()
  if s.epoch ~= ARGV[3] then return { 'superseded' } end
  local changed = { server = here, epoch = ARGV[4], lease_until = number(5), day = math.max(s.day, number(8)), reserved_day = number(8) }
  for i, lane in ipairs(lanes) do
    local row = number(8 + i)
    local mine = s.day >= number(8) and s['used_' .. lane] or 0
    changed['reserved_' .. lane] = row
    changed['used_' .. lane] = s.day > number(8) and mine or math.max(mine, row)
    changed['asked_' .. lane] = 0
  end
  if number(6) > 0 then changed.paused_second = math.max(s.paused_second, now + number(6)) end
  if number(7) > 0 then changed.paused_day = math.max(s.paused_day, now + number(7)) end
  save(changed)
  return { 'adopted' }
end

-- ARGV: lane, count, from_ms: no effect earlier than this after midnight.
function operations.refund()
  if s['used_' .. ARGV[3]] == nil then return no_such(ARGV[3]) end
  if is_lost or math.floor(now / day_ms) ~= s.day or now < s.day * day_ms + number(5) then return { 'kept' } end
  local field = 'used_' .. ARGV[3]
  save({ [field] = math.max(0, s[field] - number(4)) })
  return { 'given back' }
end

-- ARGV: window, ms. Applies to any later state, too.
function operations.pause()
  local field = 'paused_' .. ARGV[3]
  save({ [field] = math.max(s[field], now + number(4)) })
  return { 'paused' }
end

-- Answers: state, now, tat, day, used of each lane, paused_second, paused_day, then the log | lost, …
function operations.look()
  if is_lost then return lost() end
  local told = { 'state', exact(now), exact(s.tat), exact(s.day) }
  for _, lane in ipairs(lanes) do table.insert(told, exact(s['used_' .. lane])) end
  table.insert(told, exact(s.paused_second))
  table.insert(told, exact(s.paused_day))
  for i = 1, #s.log / 8 do table.insert(told, exact(timestamp_at(s.log, i))) end
  return told
end

return operations[ARGV[1]]()
