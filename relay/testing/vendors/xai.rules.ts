import { listOf, member, textOf } from '../../src/bytes/json-value.ts'
import { documentedChat, isGiven, tools } from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

const THINKS = /^grok-(?:3-mini|4)/
const CODES = /^grok-code/
/** Efforts by model; the first match counts, and other models take none. */
const EFFORTS: readonly (readonly [RegExp, string])[] = [
  [/^grok-3-mini/, 'low high'],
  [/multi-agent|^grok-4\.3/, 'none low medium high xhigh'],
  [/^grok-4\.5/, 'low medium high'],
  [/^grok-4\.6/, 'low medium high xhigh'],
  [/^grok-4/, ''],
]

export const xai = strictVendor({
  name: 'xai',
  title: 'xAI',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('grok-4'),
  refusal: ({ text: error }) => ({
    status: 400,
    body: { code: 'Client specified an invalid argument', error },
  }),
  rules: [
    {
      id: 'XAI-001',
      text: 'grok-3-mini and grok-4: `presence_penalty`',
      sure: 'issue',
      source: 'miaoxworld/NativeTavern#83, open-webui/open-webui#21266',
      refuses: ({ model, body }) => THINKS.test(model) && isGiven(body['presence_penalty']),
      example: { presence_penalty: 0 },
    },
    {
      id: 'XAI-002',
      text: 'grok-4 and grok-code: `frequency_penalty`',
      sure: 'src',
      source: 'BerriAI/litellm 1.110',
      refuses: ({ model, body }) =>
        (model.startsWith('grok-4') || CODES.test(model)) && isGiven(body['frequency_penalty']),
      example: { frequency_penalty: 0.5 },
    },
    {
      id: 'XAI-003',
      text: 'grok-3-mini, grok-4 and grok-code: `stop`',
      sure: 'src',
      source: 'BerriAI/litellm 1.110, mnfst/modelparams.dev#330',
      refuses: ({ model, body }) =>
        (THINKS.test(model) || CODES.test(model)) && isGiven(body['stop']),
      example: { stop: ['END'] },
    },
    {
      id: 'XAI-004',
      text: 'An effort that the model does not have; grok-4, 4-fast and 4.20 have none',
      sure: 'issue',
      source: 'chenyme/grok2api#814, NousResearch/hermes-agent#23088',
      refuses: ({ model, body: { reasoning_effort: effort } }) => {
        const efforts = EFFORTS.find(([name]) => name.test(model))?.[1]
        return (
          isGiven(effort) && efforts !== undefined && !efforts.split(' ').includes(textOf(effort))
        )
      },
      example: { reasoning_effort: 'low' },
    },
    {
      id: 'XAI-005',
      text: '`strict` of a function',
      sure: 'src',
      source: 'BerriAI/litellm 1.110',
      refuses: ({ body }) =>
        listOf(body['tools']).some((tool) => isGiven(member(member(tool, 'function'), 'strict'))),
      example: tools({ strict: true }),
    },
  ],
})
