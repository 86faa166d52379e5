import { momentAt, wallTime } from '@tollgate/contract'
import { getStored } from './storage.ts'
import { useStored } from './use-stored.ts'

const DAY = 86_400

const browserZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The operator's time zone, else that of the browser. Days begin at its midnight. */
export const zoneOfDays = (stored: string | null = getStored('time_zone')): string =>
  stored || browserZone()

export function useZoneOfDays(): string {
  const [stored] = useStored('time_zone')
  return zoneOfDays(stored)
}

/** Whether times that the browser shows differ from those of the zone at this moment. */
export const isOtherZone = (zone: string, at: number): boolean =>
  wallTime(zone, at) !== wallTime(browserZone(), at)

/** The midnight before the moment, in epoch seconds. */
export const startOfDay = (at: number, zone: string = zoneOfDays()): number =>
  momentAt(zone, Math.floor(wallTime(zone, at) / DAY) * DAY)
