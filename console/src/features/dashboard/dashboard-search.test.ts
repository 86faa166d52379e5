import { expect, test } from 'vitest'
import { parseDashboardSearch, withDashboardSearch } from './dashboard-search.ts'

test('administrators see all users unless the address says otherwise', () => {
  expect(parseDashboardSearch(new URLSearchParams(), true)).toEqual({
    scope: 'everyone',
    range: '7d',
    metric: 'quota',
  })
  expect(parseDashboardSearch(new URLSearchParams('scope=mine'), true).scope).toBe('mine')
})

test('an address made for administrators shows users their own usage', () => {
  expect(parseDashboardSearch(new URLSearchParams('scope=everyone'), false).scope).toBe('mine')
})

test('invalid values use the default, and defaults are left out of the address', () => {
  const garbage = new URLSearchParams('range=9y&metric=<b>&scope=all')
  expect(parseDashboardSearch(garbage, true)).toEqual(
    parseDashboardSearch(new URLSearchParams(), true),
  )
  const chosen = withDashboardSearch(new URLSearchParams(), { range: '30d', metric: 'requests' })
  expect(chosen.toString()).toBe('range=30d&metric=requests')
  expect(withDashboardSearch(chosen, { range: '7d', metric: 'quota' }).toString()).toBe('')
})
