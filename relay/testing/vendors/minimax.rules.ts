import { isRecord, parseJson, textOf } from '../../src/bytes/json-value.ts'
import {
  argumentsOf,
  callIds,
  calling,
  documentedChat,
  functionsOf,
  hasCalls,
  hasStrayResult,
  hasUnansweredCall,
  HI,
  inMessages,
  isEmptyContent,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  result,
  roleOf,
  says,
  SYSTEM,
  tools,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

export const minimax = strictVendor({
  name: 'minimax',
  title: 'MiniMax',
  chatPath: /\/(?:chat\/completions|text\/chatcompletion_v2)$/,
  documented: documentedChat('MiniMax-M2'),
  refusal: ({ text }) => ({
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'bad_request_error',
        message: `invalid params, ${text} (2013)`,
        http_code: '400',
      },
      request_id: '1',
    },
  }),
  rules: [
    {
      id: 'MM-002',
      text: 'The role developer',
      sure: 'issue',
      source: 'can1357/oh-my-pi#955',
      refuses: ({ body }) => inMessages(body, (message) => roleOf(message) === 'developer'),
      example: says({ role: 'developer', content: 'Be brief.' }, HI),
    },
    {
      id: 'MM-001',
      text: 'A system message that is not the first',
      sure: 'issue',
      source: 'MiniMax-AI/MiniMax-M2#51, BigPizzaV3/CodexPlusPlus#267',
      refuses: ({ body }) =>
        messagesOf(body)
          .slice(1)
          .some((message) => roleOf(message) === 'system'),
      example: says(SYSTEM, SYSTEM, HI),
    },
    {
      id: 'MM-008',
      text: 'A message with neither content nor calls',
      sure: 'issue',
      source: 'MiniMax-AI/MiniMax-M2',
      refuses: ({ body }) =>
        inMessages(
          body,
          (message) => isEmptyContent(message) && !hasCalls(message) && roleOf(message) !== 'tool',
        ),
      example: says({ role: 'user', content: '' }),
    },
    {
      id: 'MM-007',
      text: 'A tool whose parameters are absent or empty',
      sure: 'issue',
      source: 'QwenLM/qwen-code#11834',
      refuses: ({ body }) =>
        functionsOf(body).some(
          ({ parameters }) => !isRecord(parameters) || Object.keys(parameters).length === 0,
        ),
      example: tools({ parameters: {} }),
    },
    {
      id: 'MM-009',
      text: 'A temperature outside 0 to 1, 0 excluded',
      sure: 'doc',
      source: 'platform.minimax.io, reference of chat',
      refuses: ({ body: { temperature } }) => temperature === 0 || isOutside(temperature, 0, 1),
      example: { temperature: 1.5 },
    },
    {
      id: 'MM-005',
      text: 'An empty id of a call',
      sure: 'issue',
      source: 'Kilo-Org/kilocode#3967',
      refuses: ({ body }) => callIds(body).some((id) => textOf(id) === ''),
      example: loop({}, {}, ''),
    },
    {
      id: 'MM-006',
      text: 'Arguments in the history that are not JSON',
      sure: 'issue',
      source: 'HKUDS/nanobot#2373, earendil-works/pi#5468',
      refuses: ({ body }) =>
        argumentsOf(body).some((given) => isGiven(given) && parseJson(textOf(given)) === undefined),
      example: loop({}, { arguments: '{"city":' }),
    },
    {
      id: 'MM-003',
      text: 'A result without its call',
      sure: 'issue',
      source: 'MiniMax-AI/MiniMax-M2#76',
      refuses: ({ body }) => hasStrayResult(body),
      example: { ...ONE_TOOL, ...says(HI, result()) },
    },
    {
      id: 'MM-004',
      text: 'A call without its result',
      sure: 'issue',
      source: 'Kilo-Org/kilocode#3967',
      refuses: ({ body }) => hasUnansweredCall(body),
      example: { ...ONE_TOOL, ...says(HI, calling(), HI) },
    },
  ],
})
