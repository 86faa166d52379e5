import { randomInt } from 'node:crypto'
import { flatText } from '../text/flat-text.ts'

const MS_PER_SECOND = 1000
const NANOSECONDS_PER_MS = 1_000_000
const DIGITS = 8

let latest = { second: -1, text: '' }

/** Local time to the second, nanoseconds, eight random digits: the format of One API gateways. */
export function newRequestId(nowMs: number): string {
  const second = Math.floor(nowMs / MS_PER_SECOND)
  if (second !== latest.second) latest = { second, text: localTime(nowMs) }
  const steadyMs = performance.now()
  const nanoseconds =
    Math.floor(nowMs - second * MS_PER_SECOND) * NANOSECONDS_PER_MS +
    Math.floor((steadyMs - Math.floor(steadyMs)) * NANOSECONDS_PER_MS)
  return flatText(latest.text, nanoseconds, String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0'))
}

function localTime(nowMs: number): string {
  const now = new Date(nowMs)
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`
  return `${date}${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`
}
