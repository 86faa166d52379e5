import { isRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  documentedChat,
  hasPart,
  hasStrayResult,
  HI,
  IMAGE,
  inMessages,
  isEmptyContent,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  partsOf,
  result,
  roleOf,
  says,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

const REFERENCE = 'docs.bigmodel.cn, reference of chat'

export const zhipu = strictVendor({
  name: 'zhipu',
  title: 'Zhipu (GLM)',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('glm-4.6', '/api/paas/v4/chat/completions'),
  refusal: ({ text: message, code = '1210' }) => ({
    status: 400,
    body: { error: { code, message } },
  }),
  rules: [
    {
      id: 'GLM-010',
      text: 'The role developer',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) => inMessages(body, (message) => roleOf(message) === 'developer'),
      code: '1214',
      example: says({ role: 'developer', content: 'Be brief.' }, HI),
    },
    {
      id: 'GLM-001',
      text: 'No message of the user',
      sure: 'issue',
      source: 'anomalyco/opencode#2557, AstrBotDevs/AstrBot#6196',
      refuses: ({ body }) => !inMessages(body, (message) => roleOf(message) === 'user'),
      code: '1214',
      example: says({ role: 'system', content: 'Be brief.' }),
    },
    {
      id: 'GLM-002',
      text: 'A result without its call',
      sure: 'issue',
      source: 'AstrBotDevs/AstrBot#6196, AstrBotDevs/AstrBot#4864',
      refuses: ({ body }) => hasStrayResult(body),
      code: '1214',
      example: { ...ONE_TOOL, ...says(HI, result()) },
    },
    {
      id: 'GLM-003',
      text: 'A `user_id` shorter than 6 or longer than 128 characters',
      sure: 'issue',
      source: 'looplj/axonhub#1669',
      refuses: ({ body: { user_id: id } }) => isGiven(id) && isOutside(textOf(id).length, 6, 128),
      example: { user_id: 'u'.repeat(129) },
    },
    {
      id: 'GLM-004',
      text: 'A part with members of another type of part',
      sure: 'issue',
      source: 'BigPizzaV3/CodexPlusPlus#329',
      refuses: ({ body }) =>
        messagesOf(body)
          .flatMap(partsOf)
          .some((part) => Object.keys(part).some((name) => ![part['type'], 'type'].includes(name))),
      example: says({
        role: 'user',
        content: [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }],
      }),
    },
    {
      id: 'GLM-005',
      text: 'A tool choice other than auto, or more than one stop sequence',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        (isGiven(body['tool_choice']) && body['tool_choice'] !== 'auto') ||
        listOf(body['stop']).length > 1,
      example: { ...ONE_TOOL, tool_choice: 'required' },
    },
    {
      id: 'GLM-006',
      text: 'A temperature or `top_p` outside 0 to 1',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        isOutside(body['temperature'], 0, 1) || isOutside(body['top_p'], 0.01, 1),
      example: { temperature: 1.5 },
    },
    {
      id: 'GLM-007',
      text: '`max_tokens` above 98 304 (4.5) or 131 072',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ model, body }) =>
        isOutside(body['max_tokens'], 1, model.includes('4.5') ? 98_304 : 131_072),
      example: { max_tokens: 200_000 },
    },
    {
      id: 'GLM-008',
      text: 'The format `json_schema` before GLM 5.3',
      sure: 'src',
      source: 'BerriAI/litellm 1.110, map of models',
      refuses: ({ model, body }) =>
        member(body['response_format'], 'type') === 'json_schema' &&
        !/glm-(?:5\.[3-9]|[6-9])/.test(model),
      example: { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    },
    {
      id: 'GLM-009',
      text: 'Empty content of the user, or an image for a text model',
      sure: 'issue',
      source: 'fuzhengwei/chatglm-sdk-java#8',
      refuses: ({ model, body }) =>
        inMessages(
          body,
          (message) =>
            (roleOf(message) === 'user' && isEmptyContent(message)) ||
            (hasPart(message, 'image_url') &&
              /^glm-\d(?:\.\d)?(?:-(?:air|flash|plus|x))*$/.test(model)),
        ),
      code: '1214',
      example: says({ role: 'user', content: [IMAGE] }),
    },
    {
      id: 'GLM-011',
      text: 'Arguments of a call that are not text',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        inMessages(body, ({ tool_calls: calls }) =>
          listOf(calls).some((call) => isRecord(member(member(call, 'function'), 'arguments'))),
        ),
      example: loop({}, { arguments: {} }),
    },
  ],
})
