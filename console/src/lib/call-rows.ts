import type { Endpoint, EndpointCall, EndpointRow } from '@tollgate/contract'
import { currentLanguage } from '../i18n/texts.ts'
import { fetchHere } from './api.ts'
import {
  CallError,
  type CallParts,
  type CallSettings,
  callUrl,
  callWith,
  unexpectedAnswer,
} from './call.ts'

type Reading<Row> = { signal: AbortSignal; onRows: (rows: Row[]) => void }

type Streaming<E extends Endpoint> = {
  endpoint: E
  parts: EndpointCall<E> & CallParts
  onRows: Reading<EndpointRow<E>>['onRows']
}

/** Calls an endpoint that answers with rows, and passes them on as they arrive. */
export const callRows = <E extends Endpoint>(
  endpoint: E,
  parts: EndpointCall<E> & CallParts,
  { signal, onRows }: Reading<EndpointRow<E>>,
) =>
  callRowsWith(
    { language: currentLanguage(), fetch: fetchHere, signal },
    { endpoint, parts, onRows },
  )

/** An answer may take any time, so only the caller's signal ends it. */
export async function callRowsWith<E extends Endpoint>(
  { language, fetch, signal }: CallSettings,
  { endpoint, parts, onRows }: Streaming<E>,
) {
  let reason: 'unreachable' | 'brokenOff' = 'unreachable'
  try {
    const headers = { 'Accept-Language': language }
    const init = { headers, ...(signal && { signal }) }
    const response = await fetch(callUrl(endpoint.path, parts), init)
    reason = 'brokenOff'
    const isRows = response.headers.get('Content-Type')?.includes('x-ndjson') === true
    // Any other answer says why there are no rows.
    if (!response.ok || !isRows || !response.body) {
      await callWith({ language, fetch: async () => response }, endpoint, parts)
      throw unexpectedAnswer('Content-Type')
    }
    for await (const lines of linesOf(response.body)) {
      onRows(lines.map((line) => rowOf(endpoint, line)))
    }
  } catch (cause) {
    if (cause instanceof CallError || signal?.aborted) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new CallError({ kind: 'network', reason, message }, cause)
  }
}

/** The whole lines of each piece that arrives. */
async function* linesOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
  if (rest !== '') throw unexpectedAnswer('the last line')
}

function rowOf<E extends Endpoint>({ parts }: E, line: string): EndpointRow<E> {
  const row = parts.rows?.safeParse(parsed(line))
  if (!row?.success) throw unexpectedAnswer(row?.error.issues[0]?.path.join('.') ?? '')
  // Safe because the schema parsed above is the one this type is inferred from.
  return row.data as EndpointRow<E>
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
