import { FIRST_CALLS, type FirstCall } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { fetchHere } from './api.ts'
import { type CallParts, send, unexpectedAnswer } from './call.ts'
import { isSignIn, isStatus } from './first-answers.ts'

export type Credentials = { username: string; password: string }

async function callFirst(call: FirstCall, parts: CallParts, signal?: AbortSignal) {
  const settings = { language: currentLanguage(), fetch: fetchHere, ...(signal && { signal }) }
  const { body } = await send(settings, call, parts)
  return body['data']
}

export async function getStatus(signal: AbortSignal) {
  const status = await callFirst(FIRST_CALLS.getStatus, {}, signal)
  if (!isStatus(status)) throw unexpectedAnswer('data')
  return status
}

export async function logIn(body: Credentials) {
  const result = await callFirst(FIRST_CALLS.login, { body })
  if (!isSignIn(result)) throw unexpectedAnswer('data')
  return result
}

export const logOut = () => callFirst(FIRST_CALLS.logout, {})
