import { countPrompt, isRequestProblem, type TokenCounting } from '@tollgate/relay'
import { countOptionsFor } from '../billing/counting.ts'
import type { Arrival, RelayDeps } from '../context.ts'
import { badRequest } from '../errors.ts'
import { identifyPayer, requireAllowedModel } from '../intake/identify.ts'
import { readBody } from '../intake/read-body.ts'
import { limitTokenCounts } from '../intake/read-scheduled.ts'
import { readWithStored } from '../intake/read-with-stored.ts'
import { respondWithJson } from '../intake/respond.ts'
import { limitedCaller } from '../routing/route.ts'
import { isPaused, isServed, modelNotFound } from '../routing/unserved.ts'

/**
 * Token counts are free and as exact as the local tokenizers. They take work, so each counts as a
 * request of zero tokens.
 */
export async function answerTokenCount(
  relay: RelayDeps,
  arrival: Arrival,
  counting: TokenCounting,
): Promise<void> {
  const { client, request, admission } = arrival
  const { limits, settings } = relay
  const caller = await identifyPayer(relay, arrival)
  await admission.take(limitedCaller(caller, null), () => 0)
  limitTokenCounts(caller)
  const body = await readBody(relay, request, caller)
  limitTokenCounts(caller, body.length)
  const parsedRequest = await readWithStored(relay, arrival, {
    caller,
    body,
    read: () => counting.read(body, caller.user.id),
  })
  if (isRequestProblem(parsedRequest)) throw badRequest(parsedRequest)
  // Stored items and responses are counted too.
  const bytes = Math.max(body.length, parsedRequest.textBytesUpperBound ?? 0)
  limitTokenCounts(caller, bytes)
  const { model } = parsedRequest
  requireAllowedModel(caller, model)
  const isKnown = isServed(relay, caller, model) || isPaused(relay, caller, model)
  if (caller.pinned === null && !isKnown) throw modelNotFound(model)
  const options = countOptionsFor(settings.current(), caller.user.id, bytes)
  const tokens = await countPrompt(parsedRequest, { ...options, model })
  return respondWithJson(client, counting.answer(tokens), limits)
}
