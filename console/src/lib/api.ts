import type { Endpoint, EndpointCall } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { basePath } from './base-path.ts'
import { type Answer, type CallParts, callWith, refusalOf } from './call.ts'
import { withConfirmation } from './confirmation.ts'
import { takeEarlyAnswer } from './early-answers.ts'
import { setFactorRequired } from './required-factor.ts'

export const fetchHere = (path: string, init: RequestInit) =>
  takeEarlyAnswer(path, init) ?? window.fetch(basePath + path, init)

/**
 * Calls a contract endpoint and returns its parsed answer. Asks the user to confirm their identity
 * when the server requires it. Throws a `CallError` on failure and a `Cancelled` when the user
 * dismisses the confirmation.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const settings = { language: currentLanguage(), fetch: fetchHere }
  const send = () => callWith(signal ? { ...settings, signal } : settings, endpoint, parts)
  try {
    return await withConfirmation(send, signal)
  } catch (error) {
    if (refusalOf(error)?.code === 'second_factor_needed') setFactorRequired(true)
    throw error
  }
}
