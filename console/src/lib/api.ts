import type { Endpoint, EndpointCall } from '@tollgate/contract'
import { currentLanguage } from '../i18n/setup.ts'
import { type Answer, type CallParts, callWith } from './call.ts'

/** Calls an endpoint of the contract and gives its parsed answer, or throws a CallError. */
export function call<E extends Endpoint>(
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const settings = { language: currentLanguage(), fetch: window.fetch.bind(window) }
  return callWith(signal ? { ...settings, signal } : settings, endpoint, parts)
}
