import { momentAt, type Seconds, type Statement, UTC, wallTime } from '@tollgate/contract'
import { readMovements } from '../../store/statement.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { presentCredit } from '../present-credit.ts'

const SECONDS_PER_HOUR = 3600
const SECONDS_PER_DAY = 24 * SECONDS_PER_HOUR

/** The months of the site's time zone. Charges are summed by the hour, which a day begins with. */
export async function readStatement(
  deps: AdminDeps,
  userId: number,
  requestedMonth?: string,
): Promise<Statement> {
  const { database, settings } = deps
  const zone = settings.current().TimeZone || UTC
  const month = requestedMonth ?? monthOf(zone, nowSeconds(deps))
  const days = daysOf(month)
  const firstHours = days.map((day) => hourOf(zone, day))
  const endHour = hourOf(zone, (days.at(-1) ?? 0) + SECONDS_PER_DAY)
  return database.snapshot(async (tx) => {
    const found = await readMovements(tx, userId, { firstHours, endHour })
    const since = found.firstAt ?? nowSeconds(deps)
    const usage = found.usage
      .map(({ dayIndex, ...row }) => ({ day: dayText(days[dayIndex] ?? 0), ...row }))
      .toSorted((a, b) => compare(a.day, b.day) || compare(a.model_name, b.model_name))
    const charged = usage.reduce((sum, { quota }) => sum + quota, 0)
    return {
      month,
      first_month: monthOf(zone, since),
      time_zone: zone,
      start: (firstHours[0] ?? 0) * SECONDS_PER_HOUR,
      end: endHour * SECONDS_PER_HOUR,
      opening: found.opening,
      credited: found.credited,
      charged,
      closing: found.opening + found.credited - charged,
      usage,
      credits: found.credits.map(presentCredit),
      credit_count: found.creditCount,
    }
  })
}

/** The order must not depend on the database's collation. */
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** The midnights of a month, as wall time. */
function daysOf(month: string): number[] {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const first = Date.UTC(year, number - 1) / 1000
  const end = Date.UTC(year, number) / 1000
  return Array.from(
    { length: (end - first) / SECONDS_PER_DAY },
    (_, day) => first + day * SECONDS_PER_DAY,
  )
}

/** An hour in which a day of the zone begins late belongs to the day before. */
const hourOf = (zone: string, midnight: number) =>
  Math.ceil(momentAt(zone, midnight) / SECONDS_PER_HOUR)

const dayText = (wall: number) => new Date(wall * 1000).toISOString().slice(0, 10)

const monthOf = (zone: string, at: Seconds) => dayText(wallTime(zone, at)).slice(0, 7)
