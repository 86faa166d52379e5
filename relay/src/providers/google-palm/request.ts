import { member, type JsonRecord } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { googleHeaders, methodAddress } from '../../wires/gemini/address.ts'
import {
  callText,
  messagesOf,
  pastCallsOf,
  plainTextOf,
  type ReadMessage,
} from '../../wires/openai-chat/chat-request.ts'
import type { EncodedCall, ProviderCall } from '../../wires/provider-codec.ts'

const VERSION = 'v1beta2'
/** The model that the catalogue's `palm-2` stands for. */
const CHAT_MODEL = 'chat-bison-001'
const CHOICES_MAX = 8
const [USER, OTHERS] = ['0', '1']

export function encode(call: ProviderCall): EncodedCall {
  const { request } = call
  rejectUnsupported(request)
  const model = /^palm-2$/i.test(call.model) ? CHAT_MODEL : call.model
  return {
    url: methodAddress({ ...call, model }, 'generateMessage', VERSION),
    headers: googleHeaders({ ...call, stream: false }),
    body: Buffer.from(JSON.stringify(messageRequest(call))),
  }
}

function rejectUnsupported(request: JsonRecord): void {
  const { n, response_format: format, modalities } = request
  if (typeof n === 'number' && n > CHOICES_MAX) {
    throw parameterError(`'n' must be at most ${CHOICES_MAX} with PaLM.`, 'n')
  }
  const type = member(format, 'type')
  if (type === 'json_object' || type === 'json_schema') {
    throw parameterError("'response_format' must be text with PaLM.", 'response_format')
  }
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw parameterError("'modalities' must be text with PaLM.", 'modalities')
  }
  for (const name of ['tools', 'functions', 'stop', 'logprobs', 'audio', 'web_search_options']) {
    if (!isGiven(request[name])) continue
    throw parameterError(`'${name}' is not possible with PaLM.`, name)
  }
}

function isGiven(value: unknown): boolean {
  const isNothing = value === undefined || value === null || value === false || value === ''
  return !isNothing && !(Array.isArray(value) && value.length === 0)
}

/** Calls and results of earlier turns become texts. */
function messageRequest(call: ProviderCall): JsonRecord {
  const chat = messagesOf(call).map((message) => ({
    role: roleOf(message),
    content: [plainTextOf(message), ...pastCallsOf(message).map(callText)]
      .filter((text) => text !== '')
      .join('\n'),
  }))
  const context = chat.filter(({ role }) => role === 'system').map(({ content }) => content)
  const messages = chat
    .filter(({ role, content }) => role !== 'system' && content !== '')
    .map(({ role, content }) => ({ author: role === 'user' ? USER : OTHERS, content }))
  const { temperature, top_p: topP, top_k: topK, n } = call.request
  return {
    prompt: { ...(context.length === 0 ? {} : { context: context.join('\n\n') }), messages },
    ...(typeof temperature === 'number' ? { temperature: Math.min(temperature, 1) } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(typeof topK === 'number' ? { topK } : {}),
    ...(typeof n === 'number' && n > 1 ? { candidateCount: n } : {}),
  }
}

function roleOf({ role, param }: ReadMessage): 'system' | 'user' | 'assistant' {
  if (role === 'tool') return 'user'
  if (role === 'system' || role === 'user' || role === 'assistant') return role
  throw parameterError(
    `'${param}.role' must be one of system, developer, user, assistant and tool.`,
    `${param}.role`,
  )
}
