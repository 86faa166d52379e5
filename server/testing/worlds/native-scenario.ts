import { answerStream, type Behaviour } from '../fakes/scripted-upstream.ts'
import { MODEL, type World } from './relay-scenario.ts'

/*
 * Clients that use a provider's own dialect. Requests and answers have unusual whitespace and
 * numbers, so that a test fails if the gateway re-serializes them.
 */

const anthropicEvent = (type: string, rest = '') =>
  `event: ${type}\ndata: { "type":"${type}"${rest === '' ? '' : `, ${rest}`} }\n\n`

const TEXT_START = '"index":0, "content_block":{"type":"text","text":"","citations":[]}'

const textDelta = (text: string) =>
  anthropicEvent(
    'content_block_delta',
    `"index":0, "delta":{"type":"text_delta","text":"${text}"}, "x":1`,
  )

const geminiEvent = (parts: string, rest = '') =>
  `data: { "candidates":[{"content":{"role":"model","parts":[${parts}]}, "index":0${rest}}],` +
  '"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"totalTokenCount":15},' +
  '"modelVersion":"gemini-1.5-flash","responseId":"r1"}\r\n\r\n'

export type NativeProvider = {
  name: string
  type: number
  /** The name to which the channel maps the model. */
  mapping: string
  path: (stream: boolean) => string
  keyHeader: string
  /** The request, with members that the gateway does not know. */
  body: (stream: boolean) => string
  /** The body as the provider must receive it, with the mapped model name. */
  sent: (stream: boolean) => string
  answer: string
  /** Events before the first text. */
  firstEvents: string[]
  textEvents: (...words: string[]) => string[]
  /** An event after which no other channel can continue. */
  special: string
  /** The final events, with 10 prompt and 5 completion tokens. */
  ending: string[]
  /** The final events without usage. */
  endingUncounted: string[]
  /** A string that only a complete stream contains. */
  endMark: string
  /** Tokens that the gateway counts if the provider reports no usage. */
  counted: { prompt: number; helloThere: number }
  /**
   * Tokens of a stream that breaks after "Hello there": as reported until then, otherwise counted.
   */
  cut: { prompt: number; helloThere: number }
  textOf: (stream: string) => string
}

const textsAt = (pattern: RegExp) => (stream: string) =>
  Array.from(stream.matchAll(pattern), ([, text = '']) => text).join('')

const bodyOf = (model: string, rest: string) =>
  `{ ${model}"serial" : 12345678901234567890,  "novelty":{"b":[1.0, 2e1]}, ${rest} }`

const claudeBody = (model: string, stream: boolean) =>
  bodyOf(
    `"model":"${model}" ,`,
    '"max_tokens":50,"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral","ttl":"1h"}}],' +
      `"messages":[{"role":"user","content":"hi"}]${stream ? ', "stream" : true' : ''}`,
  )

export const CLAUDE: NativeProvider = {
  name: 'Anthropic',
  type: 14,
  mapping: 'claude-3-haiku-20240307',
  path: () => '/v1/messages',
  keyHeader: 'x-api-key',
  body: (stream) => claudeBody(MODEL, stream),
  sent: (stream) => claudeBody('claude-3-haiku-20240307', stream),
  answer:
    '{ "id":"msg_1", "type":"message","role":"assistant","model":"claude-3", "content":[ {"type":"text",' +
    '"text":"Hello there","citations":[{"type":"char_location"}]}], "stop_reason":"end_turn",' +
    '"usage":{"input_tokens":10,"output_tokens":5}, "context_management":{"applied_edits":[]} }',
  firstEvents: [
    anthropicEvent(
      'message_start',
      '"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-3","content":[],' +
        '"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":1}}',
    ),
    anthropicEvent('content_block_start', TEXT_START),
    anthropicEvent('ping'),
  ],
  textEvents: (...words) => words.map(textDelta),
  special: anthropicEvent(
    'content_block_delta',
    '"index":0, "delta":{"type":"citations_delta","citation":{"type":"char_location"}}',
  ),
  ending: [
    anthropicEvent('content_block_stop', '"index":0'),
    anthropicEvent(
      'message_delta',
      '"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5,"novel":1}',
    ),
    anthropicEvent('message_stop'),
  ],
  endingUncounted: [
    anthropicEvent('content_block_stop', '"index":0'),
    anthropicEvent('message_delta', '"delta":{"stop_reason":"end_turn","stop_sequence":null}'),
  ],
  endMark: '"stop_reason":"',
  counted: { prompt: 17, helloThere: 3 },
  cut: { prompt: 10, helloThere: 3 },
  textOf: textsAt(/"type":"text_delta","text":"([^"]*)"/g),
}

const geminiBody = () =>
  bodyOf(
    '',
    '"contents":[{"parts":[{"text":"hi"}]}], "generation_config": { "temperature":0.50, "max_output_tokens":50 }',
  )

export const GEMINI: NativeProvider = {
  name: 'Gemini',
  type: 24,
  mapping: 'gemini-1.5-flash',
  path: (stream) =>
    `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  keyHeader: 'x-goog-api-key',
  body: geminiBody,
  sent: geminiBody,
  answer:
    '{ "candidates":[ {"content":{"parts":[{"text":"Hello there"}],"role":"model"}, "finishReason":"STOP",' +
    '"groundingMetadata":{"webSearchQueries":["x"]}} ],  "usageMetadata":{"promptTokenCount":10,' +
    '"candidatesTokenCount":5,"totalTokenCount":15}, "modelVersion":"gemini-1.5" }',
  firstEvents: [],
  textEvents: (...words) => words.map((text) => geminiEvent(`{"text":"${text}"}`)),
  special: geminiEvent('{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"4"}}'),
  ending: [geminiEvent('{"text":""}', ',"finishReason":"STOP","novel":1')],
  endingUncounted: [
    'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP"}]}\n\n',
  ],
  endMark: '"finishReason":"',
  counted: { prompt: 8, helloThere: 2 },
  cut: { prompt: 10, helloThere: 5 },
  textOf: textsAt(/"text":"([^"]*)"/g),
}

const responsesBody = (model: string, stream: boolean) =>
  bodyOf(
    `"model":"${model}" ,`,
    '"max_output_tokens":50,"store":false,"input":' +
      `[{"role":"user","content":[ {"type":"input_text","text":"hi"}]}]${stream ? ', "stream" : true' : ''}`,
  )

const responseIn = (status: string, rest: string) =>
  `{ "id":"resp_1", "object":"response","created_at":1, "status":"${status}","model":"gpt-4.1",${rest} }`

const responseEvent = (type: string, rest: string) => anthropicEvent(`response.${type}`, rest)

const outputDelta = (text: string) =>
  responseEvent(
    'output_text.delta',
    `"item_id":"msg_1", "output_index":0,"content_index":0, "delta":"${text}","logprobs":[], "obfuscation":"x"`,
  )

const RESPONSE_MESSAGE =
  '{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello there","annotations":[]}], "novel":1}'
const RESPONSE_USAGE =
  '"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":0},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":15}'

export const RESPONSES: NativeProvider = {
  name: 'Responses',
  type: 1002,
  mapping: 'gpt-4.1-mini',
  path: () => '/v1/responses',
  keyHeader: 'x-api-key',
  body: (stream) => responsesBody(MODEL, stream),
  sent: (stream) => responsesBody('gpt-4.1-mini', stream),
  answer: responseIn(
    'completed',
    `"completed_at":1,"output":[${RESPONSE_MESSAGE}],${RESPONSE_USAGE}`,
  ),
  firstEvents: [
    responseEvent('created', `"response":${responseIn('in_progress', '"output":[]')}`),
    responseEvent(
      'output_item.added',
      '"output_index":0, "item":{"id":"msg_1","type":"message","role":"assistant","content":[]}',
    ),
    responseEvent(
      'content_part.added',
      '"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":""}',
    ),
  ],
  textEvents: (...words) => words.map(outputDelta),
  special: responseEvent(
    'output_item.added',
    '"output_index":1, "item":{"id":"ws_1","type":"web_search_call","status":"in_progress"}',
  ),
  ending: [
    responseEvent('output_item.done', `"output_index":0, "item":${RESPONSE_MESSAGE}`),
    responseEvent(
      'completed',
      `"response":${responseIn('completed', `"completed_at":1,"output":[${RESPONSE_MESSAGE}],${RESPONSE_USAGE}`)}`,
    ),
  ],
  endingUncounted: [
    responseEvent('output_item.done', `"output_index":0, "item":${RESPONSE_MESSAGE}`),
    responseEvent(
      'completed',
      `"response":${responseIn('completed', `"completed_at":1,"output":[${RESPONSE_MESSAGE}]`)}`,
    ),
  ],
  endMark: '"completed_at":1',
  counted: { prompt: 8, helloThere: 2 },
  cut: { prompt: 8, helloThere: 2 },
  textOf: textsAt(/"type":"response\.output_text\.delta"[^}]*?"delta":"([^"]*)"/g),
}

export const NATIVES = [CLAUDE, GEMINI, RESPONSES]

const NOVEL = 'vendors get new members before anybody writes their rules'

/** A channel at the provider. */
export const channelTo = ({ type, mapping }: NativeProvider, ...script: Behaviour[]) => ({
  type,
  mapping,
  script,
  allow: { 'ANT-004': NOVEL, 'GEM-001': NOVEL, 'RSP-100': NOVEL },
})

export const wholeStream = ({
  firstEvents: beginning,
  textEvents: say,
  ending,
}: NativeProvider) => [...beginning, ...say('Hello', ' there'), ...ending]

export const answerNative =
  (provider: NativeProvider): Behaviour =>
  (response, request) => {
    const isStream = /:stream|"stream"\s*:\s*true/.test(request.path + request.body.toString())
    if (isStream) return answerStream(wholeStream(provider))(response, request)
    response.writeHead(200, { 'content-type': 'application/json' }).end(provider.answer)
  }

/** Sends a request as the provider's own client would. */
export const askNative = (
  { url, key }: Pick<World, 'url' | 'key'>,
  { path, keyHeader, body }: NativeProvider,
  { stream = false, text = body(stream), headers = {} }: Asking = {},
) =>
  fetch(url + path(stream), {
    method: 'POST',
    body: text,
    headers: { [keyHeader]: key, 'content-type': 'application/json', ...headers },
  })

type Asking = { stream?: boolean; text?: string; headers?: Record<string, string> }
