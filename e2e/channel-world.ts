import type { Page } from 'playwright-core'
import { beforeEach } from 'vitest'
import { channelEndpoints } from '@tollgate/contract'
import { answerError, type Behaviour } from '../server/testing/fakes/scripted-upstream.ts'
import { openOneWorld, sessionOf } from './one-world.ts'
import { sharePage } from './shared-page.ts'
import type { Look, World } from './world.ts'

export const REFUSED = 'Incorrect API key provided.'
export const refuseKey = answerError(401, { message: REFUSED, code: 'invalid_api_key' })

async function allChannels(world: World) {
  const { data } = await world.asRoot(channelEndpoints.listChannels, { query: { size: 100 } })
  return data
}

async function deleteAllChannels(world: World) {
  for (const { id } of await allChannels(world)) {
    await world.asRoot(channelEndpoints.deleteChannel, { params: { id } })
  }
}

type Given = [name: string, script: Behaviour, parts?: { type?: number; priority?: number }]

/** One world for all tests of a file; each test starts without channels. */
export function openChannelWorld() {
  const world = openOneWorld()
  const session = sessionOf(world)
  beforeEach(() => deleteAllChannels(world))

  const openBeside = (look: Look = {}) => world.open({ ...look, session })
  const shared = sharePage(() => openBeside())
  const open = async () => (await shared()).page
  const showList = async (page: Page, address = '/channel') => {
    await page.goto(address)
    await page.getByRole('row').nth(1).waitFor()
    return page
  }
  return {
    world,
    open,
    /** For a test that needs a fresh page, or a second page. */
    openBeside,
    allChannels: () => allChannels(world),
    addChannel: (...[name, script, parts]: Given) =>
      world.addChannel(name, 'gpt-4o,gpt-4o-mini', script, parts),
    showList,
    openList: async (address?: string) => showList(await open(), address),
  }
}
