import {
  type ChannelOffer,
  type ClientDialect,
  openaiDialect,
  RELAY_PATHS,
  type RelayEndpoint,
} from '@tollgate/relay'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../intake/authenticate.ts'

type UnservedRequest = {
  readonly model: string
  readonly endpoint: ChannelOffer
  readonly dialect: ClientDialect
}

const NOT_FOUND = 404

/** The refusal of a request without a route. */
export function unserved(
  { registry, settings }: Pick<RelayDeps, 'registry' | 'settings'>,
  caller: Caller,
  { model, endpoint, dialect }: UnservedRequest,
): Refusal {
  if (isServed({ registry }, caller, model)) {
    return endpoint === 'realtime' ? noChannel(model) : notOffered(model, endpoint)
  }
  if (isPaused({ registry }, caller, model)) return noChannel(model)
  // Clients of One API expect 503 in OpenAI's dialect, the only dialect it had.
  const isFinal = dialect !== openaiDialect || settings.current().UnknownModelStatus === NOT_FOUND
  return isFinal ? modelNotFound(model) : noChannel(model)
}

/** Whether an enabled channel of a group of the caller has the model. */
export const isServed = (
  { registry }: Pick<RelayDeps, 'registry'>,
  { user }: Caller,
  model: string,
): boolean => user.groups.some((group) => registry().channels(group, model).length > 0)

/** Whether the model may be back in a minute: its channels were switched off automatically. */
export const isPaused = (
  { registry }: Pick<RelayDeps, 'registry'>,
  { user }: Caller,
  model: string,
): boolean => user.groups.some((group) => registry().isPaused(group, model))

/** Agents repeat a request after a 503 and stop at a 404. Claude Code looks for `model:`. */
export const modelNotFound = (model: string) =>
  new Refusal({
    status: NOT_FOUND,
    message: `The model '${model}' does not exist: no channel serves model: ${model}`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  })

const noChannel = (model: string) =>
  new Refusal({
    status: 503,
    code: 'no_available_channel',
    param: 'model',
    message: `No channel is available for the model ${model}.`,
  })

/**
 * A 400, because retrying would not help: channels serve the model, but no provider has the
 * endpoint.
 */
const notOffered = (model: string, endpoint: RelayEndpoint) =>
  new Refusal({
    status: 400,
    code: 'endpoint_not_offered',
    param: 'model',
    message: `No provider of the model ${model} offers ${RELAY_PATHS[endpoint]} here.`,
  })
