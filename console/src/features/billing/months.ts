import { wallTime } from '@tollgate/contract'
import { spaceChinese } from '../../lib/format.ts'

/** The month of the zone, such as 2026-11. */
export const monthAt = (at: number, zone: string) =>
  new Date(wallTime(zone, at) * 1000).toISOString().slice(0, 7)

/** The time of the zone, such as 2026-11-05 08:30:00. */
export const timeIn = (zone: string, at: number) =>
  new Date(wallTime(zone, at) * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** From the last month back to the first. */
export function monthsBetween(first: string, last: string): string[] {
  const numberOf = (month: string) => {
    const [year = 0, number = 1] = month.split('-').map(Number)
    return year * 12 + number - 1
  }
  const count = Math.max(1, numberOf(last) - numberOf(first) + 1)
  return Array.from({ length: count }, (_, index) => {
    const number = numberOf(last) - index
    return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`
  })
}

/** Such as "November 2026". */
export const monthName = (month: string, language: string) =>
  spaceChinese(
    new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
      Date.parse(`${month}-01T00:00:00Z`),
    ),
  )
