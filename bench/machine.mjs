// A shared machine pauses its virtual CPUs at times, which shows as stolen time.
import { readFileSync } from 'node:fs'

// Linux counts stolen time in hundredths of a second (proc_stat(5), column 8).
const TICK_MS = 10
const STOLEN_COLUMN = 8
const STOLEN_PERCENT_MAX = 1
const TRIES_MAX = 6
const TICKS_PER_SECOND = 1000 / TICK_MS

/** CPU seconds of a process and of its children that have ended. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

/** CPU seconds of a process and of all its children, which pass theirs to it when they end. */
export function cpuOfFamily(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/)
  const living = children.filter(Boolean).reduce((sum, child) => sum + (cpuIfAlive(child) ?? 0), 0)
  return living + cpuOf(pid)
}

function cpuIfAlive(pid) {
  try {
    return cpuOf(pid)
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return undefined
    throw error
  }
}

function readStolenMs(cpu) {
  const line = new RegExp(`^cpu${cpu ?? ''} .+$`, 'm').exec(readFileSync('/proc/stat', 'utf8'))
  return line === null ? 0 : Number(line[0].split(/\s+/)[STOLEN_COLUMN]) * TICK_MS
}

/**
 * Repeats a measurement that misses its limit while more than 1 % of the time was stolen: others
 * can make a figure worse, never better. Returns the figures of the least disturbed measurement,
 * with the `stolen_percent` of the CPU that lost most.
 */
export async function measureUndisturbed(cpus, measure, isMissed) {
  const used = cpus ? Object.values(cpus) : [undefined]
  let best
  for (let left = TRIES_MAX; left > 0; left -= 1) {
    const began = performance.now()
    const before = used.map(readStolenMs)
    const figures = await measure()
    const lost = Math.max(...used.map((cpu, i) => readStolenMs(cpu) - before[i]))
    const stolen_percent = (100 * lost) / (performance.now() - began)
    if (!isMissed(figures)) return { ...figures, stolen_percent }
    if (best === undefined || stolen_percent < best.stolen_percent) {
      best = { ...figures, stolen_percent }
    }
    if (best.stolen_percent <= STOLEN_PERCENT_MAX) return best
  }
  return best
}
