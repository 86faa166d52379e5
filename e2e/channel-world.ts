import { channelEndpoints } from '@tollgate/contract'
import { answerError, type Behaviour } from '../server/testing/scripted-upstream.ts'
import type { World } from './world.ts'

export const REFUSED = 'Incorrect API key provided.'
export const refuseKey = answerError(401, { message: REFUSED, code: 'invalid_api_key' })

export async function allChannels(world: World) {
  const { data } = await world.asRoot(channelEndpoints.listChannels, { query: { size: 100 } })
  return data
}

export async function deleteAllChannels(world: World) {
  for (const { id } of await allChannels(world)) {
    await world.asRoot(channelEndpoints.deleteChannel, { params: { id } })
  }
}

/** A channel at a scripted provider of its name. */
export async function addChannel(
  world: World,
  name: string,
  { script, ...parts }: { script: Behaviour; type?: number; priority?: number },
) {
  world.upstream.script(name, script)
  const body = {
    type: 8,
    name,
    key: 'sk-upstream',
    models: 'gpt-4o,gpt-4o-mini',
    base_url: world.upstream.baseUrl(name),
    ...parts,
  }
  const { data } = await world.asRoot(channelEndpoints.createChannels, { body })
  const id = data[0]?.id
  if (id === undefined) throw new Error('the channel was not created')
  return id
}
