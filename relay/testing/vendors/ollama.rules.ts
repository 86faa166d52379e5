import { isRecord, member, textOf } from '../../src/bytes/json-value.ts'
import {
  callOf,
  callsOf,
  documentedChat,
  HI,
  IMAGE,
  inMessages,
  isAssistant,
  isGiven,
  messagesOf,
  says,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

export const ollama = strictVendor({
  name: 'ollama',
  title: 'Ollama (own API)',
  chatPath: /\/api\/chat$/,
  documented: documentedChat('qwen3', '/api/chat'),
  refusal: ({ text: error, status = 400 }) => ({ status, body: { error } }),
  rules: [
    {
      id: 'OLL-001',
      text: 'Content that is a list',
      sure: 'issue',
      source: 'ollama/ollama#10255, BerriAI/litellm#11273',
      refuses: ({ body }) => inMessages(body, ({ content }) => Array.isArray(content)),
      example: says({ role: 'user', content: [IMAGE] }),
    },
    {
      id: 'OLL-005',
      text: 'Arguments of a call that are not an object',
      sure: 'src',
      source: 'ollama/ollama, api/types.go',
      refuses: ({ body }) =>
        messagesOf(body)
          .flatMap(callsOf)
          .some((call) => !isRecord(member(call['function'], 'arguments'))),
      example: says(HI, { role: 'assistant', content: '', tool_calls: [callOf('a')] }, HI),
    },
    {
      id: 'OLL-006',
      text: 'An image that is not plain base64',
      sure: 'src',
      source: 'ollama/ollama, api/types.go',
      refuses: ({ body }) =>
        messagesOf(body).some(
          ({ images }) =>
            Array.isArray(images) &&
            images.some((image) => !/^[A-Za-z0-9+/]+={0,2}$/.test(textOf(image))),
        ),
      example: says({ role: 'user', content: 'hi', images: ['https://example.com/a.png'] }),
    },
    {
      id: 'OLL-003',
      text: '`think` for a model without thinking',
      sure: 'issue',
      source: 'ollama/ollama#6027',
      refuses: ({ model, body }) =>
        isGiven(body['think']) && body['think'] !== false && /^(?:llama|gemma[12]|phi)/.test(model),
      with: { model: 'llama3.2' },
      example: { think: true },
    },
    {
      id: 'OLL-010',
      text: 'A message of the assistant without content',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) =>
        inMessages(body, (message) => isAssistant(message) && message['content'] === null),
      example: says(HI, { role: 'assistant', content: null }, HI),
    },
  ],
})
