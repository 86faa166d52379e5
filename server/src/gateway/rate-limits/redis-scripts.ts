/*
 * The logic of `MemoryLimits` as Lua scripts, which Redis runs atomically. The time is that of
 * Redis, so nodes with different clocks agree. A window is a msgpack list of began, last and amount
 * for each slice.
 */

const WINDOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local windowMs, sliceMs = tonumber(ARGV[2]), tonumber(ARGV[3])

local function read(key)
  local slices, used = {}, 0
  local packed = redis.call('GET', key)
  local all = packed and cmsgpack.unpack(packed) or {}
  for i = 1, #all, 3 do
    if all[i + 1] + windowMs > now then
      table.insert(slices, { all[i], all[i + 1], all[i + 2] })
      used = used + all[i + 2]
    end
  end
  return slices, used
end

local function write(key, slices)
  local all = {}
  for _, slice in ipairs(slices) do
    for _, number in ipairs(slice) do table.insert(all, number) end
  end
  if #all > 0 then redis.call('SET', key, cmsgpack.pack(all), 'PX', windowMs) end
end

local function add(slices, amount)
  local newest = slices[#slices]
  if newest and now < newest[1] + sliceMs then
    newest[2], newest[3] = now, newest[3] + amount
  else
    table.insert(slices, { now, now, amount })
  end
end
`

/**
 * Takes from all limits or from none. KEYS: one per limit. ARGV: request, window, slice, place
 * lifetime, wait at a full place limit, then measure, most and amount of each limit. The measure
 * `peek` checks a window and takes nothing. Returns the time, then used, wait and reset of each
 * limit. The limits were taken if every wait is 0.
 */
export const TAKE = `${WINDOW}
local request, placeMs, fullWaitMs = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local states, windows, hasRoom = {}, {}, true

for i, key in ipairs(KEYS) do
  local measure, most, amount = ARGV[3 + 3 * i], tonumber(ARGV[4 + 3 * i]), tonumber(ARGV[5 + 3 * i])
  local used, wait, reset = 0, 0, 0
  if measure == 'concurrent' then
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    used = redis.call('ZCARD', key)
    if used >= most then wait = fullWaitMs end
  else
    local slices
    slices, used = read(key)
    windows[i] = slices
    if #slices > 0 then reset = slices[#slices][2] + windowMs - now end
    if used + amount > most then
      local left = used
      wait = windowMs
      for _, slice in ipairs(slices) do
        left = left - slice[3]
        if left + amount <= most then
          wait = slice[2] + windowMs - now
          break
        end
      end
    end
  end
  if wait > 0 then hasRoom = false end
  table.insert(states, used)
  table.insert(states, wait)
  table.insert(states, reset)
end

if hasRoom then
  for i, key in ipairs(KEYS) do
    if ARGV[3 + 3 * i] == 'concurrent' then
      redis.call('ZADD', key, now + placeMs, request)
      redis.call('PEXPIRE', key, placeMs)
    elseif ARGV[3 + 3 * i] ~= 'peek' then
      add(windows[i], tonumber(ARGV[5 + 3 * i]))
      write(key, windows[i])
    end
  end
end
return { now, unpack(states) }
`

/**
 * Ends a request. ARGV: request, window, slice, time of `TAKE`, then for each key its measure and
 * the correction to add.
 */
export const FINISH = `${WINDOW}
local request, takenAt = ARGV[1], tonumber(ARGV[4])
for i, key in ipairs(KEYS) do
  local measure, difference = ARGV[3 + 2 * i], tonumber(ARGV[4 + 2 * i])
  if measure == 'concurrent' then
    redis.call('ZREM', key, request)
  elseif difference ~= 0 then
    local slices = read(key)
    if difference > 0 then add(slices, difference) end
    for _, slice in ipairs(slices) do
      if difference < 0 and slice[1] <= takenAt and takenAt <= slice[2] then
        slice[3] = math.max(0, slice[3] + difference)
      end
    end
    write(key, slices)
  end
end
`

/**
 * Renews the places of running requests. ARGV: lifetime in milliseconds, then the request of each
 * key.
 */
export const RENEW = `
local time = redis.call('TIME')
local keptTill = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, keptTill, ARGV[1 + i])
  redis.call('PEXPIRE', key, ARGV[1])
end
`
