import { afterEach, expect, test } from 'vitest'
import { setStored } from './storage.ts'
import { isOtherZone, startOfDay, zoneOfDays } from './zone.ts'

afterEach(() => setStored('time_zone', null))

const at = (iso: string) => Date.parse(iso) / 1000

test("days are those of the operator's zone, else of the browser's", () => {
  const browser = new Intl.DateTimeFormat().resolvedOptions().timeZone
  expect(zoneOfDays()).toBe(browser)
  setStored('time_zone', '')
  expect(zoneOfDays()).toBe(browser)
  setStored('time_zone', 'Asia/Shanghai')
  expect(zoneOfDays()).toBe('Asia/Shanghai')
  expect(startOfDay(at('2026-11-27T17:30:00Z'))).toBe(at('2026-11-27T16:00:00Z'))
})

test('a day whose clocks change begins at its own midnight', () => {
  const zone = 'America/New_York'
  expect(startOfDay(at('2026-11-01T20:00:00Z'), zone)).toBe(at('2026-11-01T04:00:00Z'))
  expect(startOfDay(at('2026-11-02T20:00:00Z'), zone)).toBe(at('2026-11-02T05:00:00Z'))
})

test('zones with other names but the same clocks are the same', () => {
  const now = at('2026-11-27T12:00:00Z')
  expect(isOtherZone(zoneOfDays(), now)).toBe(false)
  expect(isOtherZone('Pacific/Kiritimati', now)).toBe(true)
})
