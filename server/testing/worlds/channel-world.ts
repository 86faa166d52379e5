import { ROLE } from '@tollgate/contract'
import { type Behaviour, startScriptedUpstream } from '../fakes/scripted-upstream.ts'
import type { DatabaseKind } from '../harness/databases.ts'
import { channelForm, idsOf, openControlPlane } from './control-plane.ts'
import { readChannel } from './rows.ts'

export type ChannelWorld = Awaited<ReturnType<typeof openChannelWorld>>

/** A control plane, an administrator, and a scripted upstream that stands for every provider. */
export async function openChannelWorld(
  kind: DatabaseKind,
  given?: Parameters<typeof openControlPlane>[1],
) {
  const plane = await openControlPlane(kind, given)
  const admin = await plane.addPerson(ROLE.admin)
  const provider = await startScriptedUpstream()

  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { body, language = 'en' }: { body?: object; language?: string } = {},
  ) =>
    plane.call(method, path, {
      as: admin,
      body,
      headers: { 'accept-language': language },
    })

  return {
    plane,
    admin,
    provider,
    call,
    /** Adds a channel whose upstream is the script of the same name. */
    addChannel: async (name: string, form: object = {}, ...script: Behaviour[]) => {
      provider.script(name, ...script)
      const body = { ...channelForm, name, base_url: provider.baseUrl(name), ...form }
      return idsOf(await call('POST', '/api/channel/', { body }))[0] ?? 0
    },
    rowOf: (id: number) => readChannel(plane, id),
    close: async () => {
      await provider.close()
      await plane.close()
    },
  }
}
