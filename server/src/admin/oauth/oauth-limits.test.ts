import { expect, test } from 'vitest'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { openControlPlane } from '../../../testing/worlds/control-plane.ts'
import { createLog } from '../../process/log.ts'
import { createOAuthLimits } from './oauth-limits.ts'

const network = (number: number) => `2001:db8:0:${number.toString(16)}::1`

const plane = openOnce(() => openControlPlane('sqlite'))
const openLimits = () =>
  createOAuthLimits({ ...plane, log: createLog('silent'), now: () => plane.clock.now })

test("a caller with many addresses guesses at most 200 WeChat codes during one code's lifetime", async () => {
  const limits = openLimits()
  const guess = (number: number) => limits.take('wechat', network(number))
  const start = plane.clock.now
  let guesses = 0
  for (let second = 0; second <= 360; second++) {
    plane.clock.now = start + second * 1000
    const isWithinOneCode = second > 90 && second <= 270
    if (second > 0 && !isWithinOneCode) continue
    for (let more = 0; more < 3; more++) {
      const taken = await guess(10 * second + more).catch(() => null)
      if (taken !== null && isWithinOneCode) guesses += 1
    }
  }
  expect(guesses).toBeGreaterThan(100)
  expect(guesses).toBeLessThanOrEqual(200)
  await expect(guess(9999)).resolves.toBeTypeOf('function')
  await expect(limits.take('callback', network(200))).resolves.toBeTypeOf('function')
})

test('right codes do not count', async () => {
  const limits = openLimits()
  for (let signedIn = 0; signedIn < 120; signedIn++) {
    const forgive = await limits.take('wechat', network(1))
    await forgive()
  }
  await expect(limits.take('wechat', network(1))).resolves.toBeTypeOf('function')
})
