import { afterEach, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { ask, books, setUp, STREAMED, tearDown } from '../../testing/relay-scenario.ts'
import { type Behaviour, chunk, DONE } from '../../testing/scripted-upstream.ts'

afterEach(tearDown)

const WORD = ' token'
const WORDS = 20_000

const talksOn: Behaviour = async (response) => {
  response.setMaxListeners(0)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let word = 0; word < WORDS && !response.destroyed; word++) {
    const isTaken = response.write(chunk({ content: WORD }))
    if (!isTaken)
      await new Promise((resolve) => response.once('drain', resolve).once('close', resolve))
  }
  response.end(DONE)
}

test.each(DATABASES)(
  'on %s a stream ends where its balance ends, and pays for what was said',
  async (kind) => {
    const quota = 1000
    const world = await setUp([{ script: [talksOn] }], {
      kind,
      quota,
      options: [['StreamHoldTokens', '256']],
    })
    const text = await (await ask(world, STREAMED)).text()
    expect(text).not.toContain('[DONE]')
    expect(text).toContain('insufficient_user_quota')
    const { log, account } = await books(world)
    expect(log).toMatchObject({ end_reason: 'quota_used_up', outcome: 'settled', uncollected: 0 })
    expect(account.quota).toBeGreaterThanOrEqual(0)
    expect(account.quota).toBeLessThan(quota / 10)
    const said = text.split(WORD).length - 1
    expect(log?.completion_tokens).toBeGreaterThanOrEqual(said * 0.9)
  },
)
