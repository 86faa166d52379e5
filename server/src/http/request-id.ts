import { randomInt } from 'node:crypto'

const NANOSECONDS_PER_MS = 1_000_000

/** Local time to the second, nanoseconds, eight random digits: the form this family of gateways has. */
export function newRequestId(nowMs: number): string {
  const now = new Date(nowMs)
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`
  const nanoseconds =
    now.getMilliseconds() * NANOSECONDS_PER_MS +
    Number(process.hrtime.bigint() % BigInt(NANOSECONDS_PER_MS))
  return date + time + nanoseconds + String(randomInt(100_000_000)).padStart(8, '0')
}
