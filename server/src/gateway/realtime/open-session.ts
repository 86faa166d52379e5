import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { END_REASON } from '@tollgate/contract'
import { openaiDialect } from '@tollgate/relay'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import { ledgerRequestOf } from '../billing/authorize.ts'
import { refuseWithoutChannel } from '../billing/refuse-without-channel.ts'
import { voidRequest } from '../billing/settle-request.ts'
import { Refusal } from '../errors.ts'
import type { Caller } from '../intake/authenticate.ts'
import { requireAllowedModel, identify, mayUseModel } from '../intake/identify.ts'
import { protocolsOf, searchOf } from '../intake/paths.ts'
import type { Admission } from '../rate-limits/admission.ts'
import { limitedCaller, routeOf } from '../routing/route.ts'
import { unserved } from '../routing/unserved.ts'
import { connect } from './connect.ts'
import { EMPTY_FORECAST, responseAmount } from './response-amount.ts'
import { type RealtimeDeps, authorizeInSession, type SessionAccess } from './session-access.ts'
import { Session } from './session.ts'
import { transcriptAmount } from './transcripts.ts'

export type Opening = {
  readonly request: IncomingMessage
  readonly requestId: string
  /** For the concurrency place of the session. */
  readonly admission: Admission
  readonly log: Logger
  readonly isDisconnected: () => boolean
  /** Completes the handshake; null if the client has disconnected. */
  readonly accept: (user: number) => FrameSocket | null
}

/** Opens a session at a provider and only then accepts the client. Throws a refusal before that. */
export async function openSession(deps: RealtimeDeps, opening: Opening): Promise<Session> {
  const { request, requestId, admission, log, isDisconnected } = opening
  const arrivedAt = deps.clock.now()
  const address = deps.addressOf(request)
  const caller = await identify(deps, { request, arrivedAt, address })
  const { model: requestedModel, isTranscription } = requestedSessionOf(request)
  const model = requestedModel ?? transcriberFor(deps, caller)
  requireAllowedModel(caller, model)
  const route = routeOf(deps, caller, { model, endpoint: 'realtime' })
  // Without a route no response will ever be counted on its own.
  const step = route === null ? 'all' : 'place'
  await admission.take(limitedCaller(caller, route), () => 0, step)
  if (route === null) {
    const opened = { requestId, arrivedAt, options: deps.settings.current() }
    const summary = { model, isStream: true, endpoint: 'realtime' }
    const context = ledgerRequestOf(caller, summary, opened)
    const refusal = unserved(deps, caller, { model, endpoint: 'realtime', dialect: openaiDialect })
    return refuseWithoutChannel(deps, { arrivedAt }, { context, refusal })
  }
  const access: SessionAccess = { request, address, model, isTranscription, route }
  const authorized = await authorizeInSession(deps, access, {
    requestId,
    promptTokens: 0,
    attempts: [],
    amountOf: (terms) =>
      isTranscription ? transcriptAmount(terms, 0) : responseAmount(terms, EMPTY_FORECAST),
  })
  try {
    const sessionRequest = {
      isPreview: usesPreviewProtocol(request),
      isTranscription,
      isDisconnected,
    }
    const { socket: provider, ...connected } = await connect(deps, authorized, sessionRequest)
    const client = opening.accept(caller.user.id)
    if (client === null) {
      provider.terminate()
      throw new Refusal({ status: 499, code: 'client_left', message: 'The client disconnected.' })
    }
    return new Session(deps, {
      access,
      user: caller.user.id,
      client,
      provider,
      ...connected,
      first: authorized,
      admission,
      log,
    })
  } catch (error) {
    authorized.admission.end()
    // A no-op for a hold that is already closed.
    const endReason = error instanceof Refusal ? END_REASON.clientLeft : END_REASON.internalError
    await voidRequest(deps, authorized, { endReason, content: '' })
    throw error
  }
}

type RequestedSession = {
  /** Null for a transcription session, which may name its model later. */
  readonly model: string | null
  readonly isTranscription: boolean
}

function requestedSessionOf(request: IncomingMessage): RequestedSession {
  const parameters = new URLSearchParams(searchOf(request))
  const model = parameters.get('model') ?? parameters.get('deployment') ?? ''
  if (parameters.has('call_id')) {
    throw badQuery('call_id', 'Existing calls cannot be joined. Name a model instead.')
  }
  const intent = parameters.get('intent') ?? 'conversation'
  if (intent !== 'conversation' && intent !== 'transcription') {
    throw badQuery('intent', "The intent of a session is 'conversation' or 'transcription'.")
  }
  const isTranscription = intent === 'transcription'
  if (model === '' && isTranscription) return { model: null, isTranscription }
  if (model === '') throw badQuery('model', 'Name the model in the address: /v1/realtime?model=…')
  if (model.length > MODEL_LENGTH_MAX) throw badQuery('model', 'The model name is too long.')
  return { model, isTranscription }
}

/** Transcription models, the most requested first. */
const TRANSCRIBERS = ['gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'] as const

/**
 * Transcription clients name the model after the session is open, so the channel must serve one of
 * these.
 */
function transcriberFor(deps: RealtimeDeps, caller: Caller): string {
  const isServed = (model: string) =>
    mayUseModel(caller.token, model) &&
    routeOf(deps, caller, { model, endpoint: 'realtime' }) !== null
  return TRANSCRIBERS.find(isServed) ?? TRANSCRIBERS[0]
}

const MODEL_LENGTH_MAX = 200

const badQuery = (param: string, message: string) =>
  new Refusal({
    status: 400,
    code: 'invalid_query',
    type: 'invalid_request_error',
    param,
    message,
  })

/** Sent as a header, or as an additional subprotocol by clients that cannot set headers. */
function usesPreviewProtocol(request: IncomingMessage): boolean {
  const beta = String(request.headers['openai-beta'] ?? '')
  return /\brealtime=v1\b/.test(beta) || protocolsOf(request).includes('openai-beta.realtime-v1')
}
