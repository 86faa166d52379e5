import type { Endpoint, EndpointCall } from '@tollgate/contract'
import { currentLanguage } from '../i18n/setup.ts'
import { type Answer, type CallParts, callWith, refusalOf } from './call.ts'
import { withConfirmation } from './confirmation.ts'
import { setFactorRequired } from './required-factor.ts'

/**
 * Calls an endpoint of the contract and gives its parsed answer, or throws a CallError. Where the
 * server wants the user to confirm who they are, that happens in between; who steps back from it
 * gets a `Cancelled`.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const settings = { language: currentLanguage(), fetch: window.fetch.bind(window) }
  const send = () => callWith(signal ? { ...settings, signal } : settings, endpoint, parts)
  try {
    return await withConfirmation(send, signal)
  } catch (error) {
    if (refusalOf(error)?.code === 'second_factor_needed') setFactorRequired(true)
    throw error
  }
}
