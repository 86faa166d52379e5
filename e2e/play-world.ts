import type { Page } from 'playwright-core'
import { z } from 'zod'
import { tokenEndpoints } from '@tollgate/contract'
import type { Behaviour } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import type { Look } from './world.ts'

type Provider = readonly [name: string, models: string, answer: Behaviour, priority?: number]

type Options = {
  prepare?: () => Promise<unknown>
}

const asked = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
})

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })

export const answers = (page: Page) => page.getByRole('log').getByRole('article')

export async function ask(page: Page, text: string) {
  await composer(page).fill(text)
  await page.keyboard.press('Enter')
}

/** A world in which root has a token, with providers that record what they are sent. */
export function openPlayWorld(providers: readonly Provider[], { prepare }: Options = {}) {
  /** The messages that each provider was sent last. */
  const sent = new Map<string, z.output<typeof asked>['messages']>()

  let key = ''

  const world = openOneWorld(async () => {
    for (const [name, models, answer, priority = 0] of providers) {
      const record: Behaviour = (response, request) => {
        sent.set(name, asked.parse(JSON.parse(request.body.toString())).messages)
        return answer(response, request)
      }
      await world.addChannel(name, models, record, { priority })
    }
    const body = { name: 'web', unlimited_quota: true }
    const { data } = await world.asRoot(tokenEndpoints.createToken, { body })
    key = `sk-${data.key}`
    await prepare?.()
  })
  const session = sessionOf(world)

  /** The playground with a model, by default as root sees it. */
  async function open(model: string, { isStreamed = true, ...look }: Look & Streamed = {}) {
    const page = await world.open({ session, ...look })
    await page.goto(`/play?model=${model}`)
    await composer(page).waitFor()
    if (!isStreamed) await page.getByRole('switch', { name: 'Stream the answer' }).uncheck()
    return page
  }
  return { world, key: () => key, sent, open }
}

type Streamed = { isStreamed?: boolean }
