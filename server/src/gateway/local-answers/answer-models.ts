import type { Arrival, RelayDeps } from '../context.ts'
import { identify } from '../intake/identify.ts'
import { searchOf } from '../intake/paths.ts'
import { respondWithJson } from '../intake/respond.ts'
import { limitedCaller } from '../routing/route.ts'
import { codexModels } from './codex-models.ts'
import { openaiModel, usableModel, usableModels } from './models.ts'

/** A list may have a megabyte, so it counts as a request of zero tokens. */
export async function answerModels(
  relay: RelayDeps,
  arrival: Arrival,
  name: string,
): Promise<void> {
  const { limits } = relay
  const { client, request, admission } = arrival
  const caller = await identify(relay, arrival)
  await admission.take(limitedCaller(caller, null), () => 0)
  const deps = { registry: relay.registry(), options: relay.settings.current() }
  const format = client.dialect.models
  if (name !== '') {
    const model = usableModel(caller, deps, name)
    const body = format?.formatOne(model) ?? openaiModel(caller, deps, model)
    return respondWithJson(client, body, limits)
  }
  const models = usableModels(caller, deps)
  if (format !== null) return respondWithJson(client, format.formatList(models), limits)
  const list = { object: 'list', data: models.map((model) => openaiModel(caller, deps, model)) }
  const isCodex = new URLSearchParams(searchOf(request)).has('client_version')
  const body = isCodex ? { ...list, models: codexModels(models) } : list
  return respondWithJson(client, body, limits)
}
