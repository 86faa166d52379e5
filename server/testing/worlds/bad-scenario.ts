import { expect } from 'vitest'
import { answerChat, type Behaviour } from '../fakes/scripted-upstream.ts'
import { COST, shareWorld, type World } from './relay-scenario.ts'

/**
 * One channel, no retries, short deadlines. Answers that are expected to arrive whole need a longer
 * `totalMs`, because reading a large answer may take a second on a busy machine.
 */
export const shareBadWorld = (kind: 'sqlite' | 'postgres' = 'sqlite', totalMs = 800) =>
  shareWorld([{ script: [answerChat()] }], {
    kind,
    quota: 1_000_000,
    options: [['RetryTimes', '0']],
    limits: { tailMs: 200 },
    upstreamLimits: { answerBytesMax: 2_000_000, firstByteMs: 400, idleMs: 400, totalMs },
  })

/**
 * Sends a request to a misbehaving upstream. Checks that the balances are exact, nothing stays
 * held, and the next request succeeds.
 */
export async function askBad(world: World, bad: Behaviour, body: object) {
  const before = await world.books()
  world.upstream.script('p0', bad, answerChat())
  const response = await world.ask(body)
  const text = await response.text()
  const { log, logs, account } = await world.books()
  expect(logs.length).toBe(before.logs.length + 1)
  if (log === undefined) throw new Error('no row')
  expect(account.quota).toBe(before.account.quota - log.quota)
  expect((await world.ask()).status).toBe(200)
  const after = await world.books()
  expect(after.account).toMatchObject({
    quota: account.quota - COST,
    used_quota: before.account.used_quota + log.quota + COST,
  })
  return { response, text, log }
}
