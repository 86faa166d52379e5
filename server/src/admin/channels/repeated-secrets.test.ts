import { expect, test } from 'vitest'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { describeWorld } from '../../../testing/worlds/describe-planes.ts'

const CUSTOM = 8
const KEY = 'planted-key'
/** Administrators see this part in the address, but must not see it in provider messages. */
const PLACE = 'account-0a1b2c3d4e5f'
const SAID = `No ${KEY}, planted-code (GET /${PLACE}/v1/models?code=planted-code&v=planted)`

describeWorld(openChannelWorld, 'an error that repeats secrets of a channel', (world) => {
  const addressWith = (query: string) => `${world.provider.baseUrl('a')}/${PLACE}?${query}`

  const add = () => {
    const base_url = addressWith('code=planted-code&v=planted')
    return world.addChannel('a', { type: CUSTOM, key: KEY, base_url })
  }

  const asks: [string, (id: number) => Promise<{ text: string }>][] = [
    ['a test', (id) => world.call('GET', `/api/channel/test/${id}`)],
    ['a balance', (id) => world.call('GET', `/api/channel/update_balance/${id}`)],
    [
      'the models',
      (id) => {
        const body = { id, type: CUSTOM, base_url: addressWith('code=***&v=***') }
        return world.call('POST', '/api/channel/fetch_models', { body })
      },
    ],
  ]

  test.each(asks)(
    'is shown without its key and the secrets in its address: %s',
    async (_, send) => {
      const { provider, plane } = world
      const id = await add()
      provider.script('a', answerError(400, { message: SAID }))
      const before = provider.requestsOf('a').length
      const { text } = await send(id)
      expect(provider.requestsOf('a').slice(before)[0]?.path).toContain('code=planted-code')
      expect(text).toContain('No [key], [key] (GET /[key]/v1/models?code=[key]&v=[key])')
      expect(text + plane.logLines.join('')).not.toContain(PLACE)
      const shown = await world.call('GET', `/api/channel/${id}`)
      expect(text + shown.text + plane.logLines.join('')).not.toContain('planted')
    },
  )

  test('also in a reply to a test', async () => {
    const id = await add()
    world.provider.script('a', answerChat(SAID))
    const { success, message } = await world.call('GET', `/api/channel/test/${id}`)
    expect([success, message]).toEqual([true, expect.stringMatching(/^No \[key\], \[key\]/)])
    expect(message).not.toContain('planted')
  })
})
