import { FIRST_CALLS, type FirstCall } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { fetchHere } from './api.ts'
import { type CallParts, send, unexpectedAnswer } from './call.ts'
import { isSignIn, isStatus } from './first-answers.ts'

export type Credentials = { username: string; password: string }

type Sending = { fetch?: typeof fetchHere; signal?: AbortSignal }

async function callFirst(call: FirstCall, parts: CallParts, sending: Sending = {}) {
  const settings = { language: currentLanguage(), fetch: fetchHere, ...sending }
  const { body } = await send(settings, call, parts)
  return body['data']
}

declare global {
  /** What `tools/console-pages.mjs` asks while the code of the console is loading. */
  var earlyStatus: Promise<Response> | undefined
}

/** The first call takes the early answer. */
const fetchEarly: typeof fetchHere = async (path, init) => {
  const { earlyStatus } = globalThis
  if (earlyStatus === undefined) return fetchHere(path, init)
  globalThis.earlyStatus = undefined
  const { signal } = init ?? {}
  const aborted = new Promise<never>((_, reject) => {
    const give = () => reject(new Error('the call was given up', { cause: signal?.reason }))
    signal?.addEventListener('abort', give)
  })
  return Promise.race([earlyStatus, aborted])
}

export async function getStatus(signal: AbortSignal) {
  const status = await callFirst(FIRST_CALLS.getStatus, {}, { fetch: fetchEarly, signal })
  if (!isStatus(status)) throw unexpectedAnswer('data')
  return status
}

export async function logIn(body: Credentials) {
  const result = await callFirst(FIRST_CALLS.login, { body })
  if (!isSignIn(result)) throw unexpectedAnswer('data')
  return result
}

export const logOut = () => callFirst(FIRST_CALLS.logout, {})
