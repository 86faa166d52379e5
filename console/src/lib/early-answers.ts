import { getStored } from './storage.ts'

export type EarlyAnswer = {
  path: string
  language: string
  /** The stored user, and the time in milliseconds, at which it was asked for. */
  user: string | null
  at: number
  response: Promise<Response>
}

declare global {
  /** What `start/start.ts` asks for while the console's code loads. */
  var earlyAnswers: EarlyAnswer[] | undefined
}

const END = /(?<=[?&]end_timestamp=)\d+/
/** Ranges end an hour from now, so that seconds make no difference. */
const END_TOLERATED_SECONDS = 60

/** A browser may stop a page in the background while it loads. */
const AGE_MAX_MS = 60_000

const endIn = (path: string) => Number(END.exec(path)?.[0] ?? 0)

const isSamePath = (one: string, other: string) =>
  one.replace(END, '') === other.replace(END, '') &&
  Math.abs(endIn(one) - endIn(other)) <= END_TOLERATED_SECONDS

const isCurrent = ({ user, at }: EarlyAnswer) =>
  user === getStored('user') && Date.now() - at < AGE_MAX_MS

const languageOf = ({ headers }: RequestInit) => new Headers(headers).get('Accept-Language')

/** The early answer to a request, for one call of the same user in its language. */
export function takeEarlyAnswer(path: string, init: RequestInit): Promise<Response> | undefined {
  const { earlyAnswers: answers = [] } = globalThis
  if (answers.length === 0 || (init.method ?? 'GET') !== 'GET') return undefined
  const answer = answers.find((one) => isSamePath(one.path, path))
  if (answer?.language !== languageOf(init) || !isCurrent(answer)) return undefined
  answers.splice(answers.indexOf(answer), 1)
  return unlessAborted(answer.response, init.signal)
}

/** Later calls want newer answers, and other users their own. */
export function forgetEarlyAnswers() {
  for (const { response } of globalThis.earlyAnswers ?? []) {
    response.then(({ body }) => body?.cancel()).catch(() => undefined)
  }
  globalThis.earlyAnswers = undefined
}

async function unlessAborted(response: Promise<Response>, signal?: AbortSignal | null) {
  const aborted = new Promise<never>((_, reject) => {
    const give = () => reject(new Error('the call was given up', { cause: signal?.reason }))
    if (signal?.aborted === true) give()
    else signal?.addEventListener('abort', give)
  })
  return Promise.race([response, aborted])
}
