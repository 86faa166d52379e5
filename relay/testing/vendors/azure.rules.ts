import { member, textOf } from '../../src/bytes/json-value.ts'
import { areGiven, callIds, HI, loop, ONE_TOOL, OPENAI_HEADERS, SYSTEM } from './chat-requests.ts'
import { OPENAI_ROWS, openaiRefusal } from './openai.rules.ts'
import { type RuleRow, strictVendor } from './strict-vendor.ts'

const VERSION = /[?&]api-version=(\d{4}-\d\d-\d\d)/
const DEPLOYMENT = /\/deployments\/([^/]+)\//
const LIFECYCLE = 'Microsoft, Azure OpenAI API version lifecycle'

/** Members by the version that brought them. */
const SINCE: readonly (readonly [string, readonly string[]])[] = [
  ['2023-07-01', ['functions', 'function_call']],
  ['2023-12-01', ['tools', 'tool_choice']],
  ['2024-08-01', ['parallel_tool_calls']],
  ['2024-09-01', ['max_completion_tokens', 'stream_options', 'reasoning_effort']],
]
const path = (version: string) =>
  `/openai/deployments/gpt-4.1/chat/completions?api-version=${version}`

const AZURE_ROWS: readonly RuleRow[] = [
  {
    id: 'AZ-007',
    text: 'A path of a deployment without `api-version`',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: (request) => DEPLOYMENT.test(request.path) && !request.path.includes('api-version='),
    status: 404,
    with: { path: '/openai/deployments/gpt-4.1/chat/completions' },
  },
  {
    id: 'AZ-002',
    text: 'A member that is newer than the `api-version`',
    sure: 'doc',
    source: LIFECYCLE,
    refuses: ({ body, path: called }) => {
      const version = VERSION.exec(called)?.[1] ?? '9'
      const isOld = SINCE.some(([since, names]) => version < since && areGiven(body, ...names))
      const format = member(body['response_format'], 'type')
      return isOld || (version < '2024-08-01' && format === 'json_schema')
    },
    code: 'unknown_parameter',
    with: { path: path('2023-05-15') },
    example: ONE_TOOL,
  },
  {
    id: 'AZ-004',
    text: 'The id of a call is longer than 40 characters',
    sure: 'issue',
    source: 'vercel/ai#5171, langmanus/langmanus#119',
    refuses: ({ body }) => callIds(body).some((id) => textOf(id).length > 40),
    code: 'string_above_max_length',
    example: loop({}, {}, 'x'.repeat(41)),
  },
]

export const azure = strictVendor({
  name: 'azure',
  title: 'Azure OpenAI',
  chatPath: /\/chat\/completions(?:\?|$)/,
  documented: {
    model: 'gpt-4.1',
    path: path('2024-10-21'),
    headers: OPENAI_HEADERS,
    body: { model: 'gpt-4.1', messages: [SYSTEM, HI] },
  },
  modelOf: ({ body, path: called }) =>
    textOf(body['model']) || (DEPLOYMENT.exec(called)?.[1] ?? ''),
  refusal: openaiRefusal,
  // The model stands in the path, or in the body of the newer addresses.
  rules: [
    ...AZURE_ROWS,
    ...OPENAI_ROWS.map((row): RuleRow => ({
      ...row,
      refuses: (request) =>
        row.refuses({ ...request, body: { model: request.model, ...request.body } }),
    })),
  ],
})
