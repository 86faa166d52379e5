import {
  type FinalUsage,
  TaskObserver,
  type UpstreamProblem,
  type Usage,
  withCostAtEnd,
} from '@tollgate/relay'
import type { OpenStream } from '../attempts/open-stream.ts'
import { withRequestId } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import type { Client } from '../intake/client.ts'
import { finishResponse, type SendLimits } from '../intake/respond.ts'
import { type StoredItems, whenStored } from '../intake/stored-items.ts'

export const streamHeaders = ({ dialect }: Client, { observer }: OpenStream) => ({
  'content-type':
    observer instanceof TaskObserver
      ? answerType(observer.form, observer.contentType)
      : dialect.streamType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
})

/** What the end of a complete stream contains. */
export type FinalEvents = {
  /** Null if the client did not ask for it, or has it already. */
  readonly usage: FinalUsage | null
  /** For a stream in the client's own dialect: its last events, and usage that they lack. */
  readonly native: { readonly events: readonly Buffer[]; readonly usage: Usage | null } | null
  /** The charge in dollars, if the client learns it. */
  readonly cost: number | null
}

type ReportedProblem = Pick<UpstreamProblem, 'type' | 'param' | 'code' | 'message' | 'status'> & {
  /** For the operator's log. */
  readonly cause?: unknown
}

type Finished = {
  requestId: string
  limits: SendLimits
  end: FinalEvents
  stream: OpenStream
  storedItems: Pick<StoredItems, 'written'>
  /** The user whose items are stored. */
  owner: number
}

/**
 * Sends the last bytes: the regular end, or an error event and no end. Rejects with errors for the
 * operator's log.
 */
export async function finishStream(
  client: Client,
  problem: ReportedProblem | null,
  finished: Finished,
): Promise<void> {
  await writeEnd(client, problem, finished)
  if (problem?.cause === undefined) return
  throw new Error('A stream could not be written to its client.', { cause: problem.cause })
}

async function writeEnd(
  client: Client,
  problem: ReportedProblem | null,
  { requestId, limits, end, stream, storedItems, owner }: Finished,
): Promise<void> {
  const { response, encoder } = client
  if (client.disconnected) return
  const taskObserver = stream.observer instanceof TaskObserver ? stream.observer : null
  // An error event cannot be written among raw bytes. Clients notice that the bytes break off.
  if (problem !== null && taskObserver?.isBytes === true) return void response.destroy()
  if (!response.headersSent) response.writeHead(200, streamHeaders(client, stream))
  if (problem === null) {
    const bytes = taskObserver ? '' : finalBytesOf(client, end)
    const storing = whenStored(client, { storedItems, owner })
    if (storing !== undefined) await storing
    return finishResponse(client, bytes, limits)
  }
  const { type, param, code, status } = problem
  const message = withRequestId(problem.message, requestId)
  const failure = encoder.error({ type, param, code, status, message })
  return finishResponse(client, failure, limits)
}

function finalBytesOf({ encoder, dialect }: Client, { usage, native, cost }: FinalEvents) {
  const bytes =
    native === null || encoder.native === undefined
      ? encoder.end(usage)
      : encoder.native.end(native.events, native.usage)
  return cost === null ? bytes : withCostAtEnd(bytes, dialect.usagePaths.stream, cost)
}
