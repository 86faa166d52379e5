import { member, textOf } from '../../src/bytes/json-value.ts'
import {
  calling,
  documentedChat,
  hasCalls,
  hasStrayResult,
  hasUnansweredCall,
  HI,
  inMessages,
  isEmptyContent,
  loop,
  ONE_TOOL,
  result,
  roleOf,
  says,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

export const mimo = strictVendor({
  name: 'mimo',
  title: 'Xiaomi MiMo',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('mimo-v2.5-pro'),
  refusal: ({ text: param }) => ({
    status: 400,
    body: { error: { code: '400', message: 'Param Incorrect', param, type: '' } },
  }),
  rules: [
    {
      id: 'MIMO-001',
      text: 'Thinking: a call in the history without `reasoning_content`',
      sure: 'doc',
      source: 'chatboxai/chatbox#3716, decolua/9router#1210',
      refuses: ({ body }) =>
        member(body['thinking'], 'type') !== 'disabled' &&
        inMessages(
          body,
          (message) => hasCalls(message) && textOf(message['reasoning_content']) === '',
        ),
      example: loop({ content: '' }),
    },
    {
      id: 'MIMO-002',
      text: 'A call whose message has null as content, or none',
      sure: 'issue',
      source: 'XiaomiMiMo/MiMo-V2-Flash#8',
      refuses: ({ body }) =>
        inMessages(
          body,
          (message) => hasCalls(message) && isEmptyContent(message) && message['content'] !== '',
        ),
      example: loop({ reasoning_content: 'Hm.' }),
    },
    {
      id: 'MIMO-003',
      text: 'A result whose content is a list',
      sure: 'issue',
      source: 'XiaomiMiMo/MiMo#44',
      refuses: ({ body }) =>
        inMessages(
          body,
          (message) => roleOf(message) === 'tool' && Array.isArray(message['content']),
        ),
      example: {
        ...ONE_TOOL,
        ...says(
          HI,
          calling('call_1', { content: '', reasoning_content: 'Hm.' }),
          result('call_1', [{ type: 'text', text: '7' }]),
        ),
      },
    },
    {
      id: 'MIMO-004',
      text: 'Calls and results that do not follow each other',
      sure: 'issue',
      source: 'earendil-works/pi#4602',
      refuses: ({ body }) => hasUnansweredCall(body) || hasStrayResult(body),
      example: {
        ...ONE_TOOL,
        ...says(HI, calling('call_1', { content: '', reasoning_content: 'Hm.' }), HI),
      },
    },
  ],
})
