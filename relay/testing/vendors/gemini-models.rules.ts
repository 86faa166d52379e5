import { isRecord, type JsonRecord, listOf, textOf } from '../../src/bytes/json-value.ts'
import { isGiven, isOutside } from './chat-requests.ts'
import {
  CALL,
  configOf,
  contentsOf,
  declarationsOf,
  declare,
  HI,
  partsOf,
  RESULT,
  says,
  setting,
  thinking,
  user,
} from './gemini-requests.ts'
import { field, records } from './gemini-schema.ts'
import type { RuleRow } from './strict-vendor.ts'

/* Google's rules for generations of models. */

const LITELLM = 'BerriAI/litellm 1.110'
const THINKING = 'ai.google.dev, guide to thinking'
const SIGNATURES = 'ai.google.dev, thought signatures'

const generationOf = (model: string) => Number(/gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0)
const isBelow3 = (model: string) => generationOf(model) > 0 && generationOf(model) < 3
const is3 = (model: string) => generationOf(model) >= 3
const thinkingOf = (body: JsonRecord) => field(configOf(body), 'thinkingConfig')
const budgetOf = (body: JsonRecord) => field(thinkingOf(body), 'thinkingBudget')
const levelOf = (body: JsonRecord) => textOf(field(thinkingOf(body), 'thinkingLevel')).toLowerCase()

/** Budgets by model; the first match counts. Zero switches thinking off where it is taken. */
const BUDGETS: readonly (readonly [RegExp, readonly [number, number, boolean]])[] = [
  [/2\.5-pro/, [128, 32_768, false]],
  [/2\.5-flash-lite/, [512, 24_576, true]],
  [/2\.5-flash/, [0, 24_576, true]],
]

const OUTPUT_MOST: readonly (readonly [RegExp, number])[] = [
  [/gemini-(?:1\.5|2\.0)/, 8192],
  [/gemini/, 65_536],
]

/** Signatures that Google has not written: a UUID, one of Claude. */
const OTHERS_SIGNATURE = /^[0-9a-f]{8}-[0-9a-f]{4}-|^E[pqr][A-Za-z0-9+/]{2}/

/** Contents after the last turn of the user with a text. */
function currentTurn(body: JsonRecord): JsonRecord[] {
  const contents = contentsOf(body)
  const start = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && records(parts).some(({ text }) => isGiven(text)),
  )
  return contents.slice(start + 1)
}

const firstCall = ({ parts }: JsonRecord) =>
  records(parts).find((part) => isGiven(field(part, 'functionCall')))

export const GEMINI_MODEL_ROWS: readonly RuleRow[] = [
  {
    id: 'GEM-103',
    text: '2.0 and 1.5: `thinkingConfig`',
    sure: 'issue',
    source: THINKING,
    refuses: ({ model, body }) =>
      isRecord(thinkingOf(body)) && generationOf(model) < 2.5 && isBelow3(model),
    with: { model: 'gemini-2.0-flash' },
    example: thinking({ thinkingBudget: 1024 }),
  },
  {
    id: 'GEM-100',
    text: '2.x: `thinkingLevel`',
    sure: 'doc',
    source: 'juspay/neurolink#1707',
    refuses: ({ model, body }) => levelOf(body) !== '' && isBelow3(model),
    example: thinking({ thinkingLevel: 'LOW' }),
  },
  {
    id: 'GEM-101',
    text: '2.5: a budget beyond the bounds of the model; Pro cannot switch thinking off',
    sure: 'doc',
    source: `${THINKING}; semperai/amica#217`,
    refuses: ({ model, body }) => {
      const [least, most, canStop] = BUDGETS.find(([name]) => name.test(model))?.[1] ?? [
        0,
        Infinity,
        true,
      ]
      const budget = budgetOf(body)
      if (budget === -1 || (budget === 0 && canStop)) return false
      return isOutside(budget, least, most)
    },
    with: { model: 'gemini-2.5-pro' },
    example: thinking({ thinkingBudget: 0 }),
  },
  {
    id: 'GEM-104',
    text: '3.x: both `thinkingBudget` and `thinkingLevel`',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) => is3(model) && isGiven(budgetOf(body)) && levelOf(body) !== '',
    with: { model: 'gemini-3.1-pro-preview' },
    example: thinking({ thinkingBudget: 1024, thinkingLevel: 'LOW' }),
  },
  {
    id: 'GEM-105',
    text: '3.x Pro, 3.7 and 3.8 Flash: the level minimal',
    sure: 'doc',
    source: 'ai.google.dev, Gemini 3.7 Flash',
    refuses: ({ model, body }) =>
      levelOf(body) === 'minimal' &&
      (/gemini-3.*pro/.test(model) || /gemini-3\.[78]-flash/.test(model)),
    with: { model: 'gemini-3.1-pro-preview' },
    example: thinking({ thinkingLevel: 'MINIMAL' }),
  },
  {
    id: 'GEM-106',
    text: '3.x: a level other than minimal, low, medium and high',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) =>
      is3(model) && !['', 'minimal', 'low', 'medium', 'high'].includes(levelOf(body)),
    with: { model: 'gemini-3.1-pro-preview' },
    example: thinking({ thinkingLevel: 'XHIGH' }),
  },
  {
    id: 'GEM-107',
    text: '3.x: in the current turn, the first call of a content without its thought signature',
    sure: 'doc',
    source: `${SIGNATURES}; diegosouzapw/OmniRoute#2077`,
    refuses: ({ model, body }) =>
      is3(model) &&
      !model.includes('image') &&
      currentTurn(body).some((content) => {
        const call = firstCall(content)
        return call !== undefined && textOf(field(call, 'thoughtSignature')) === ''
      }),
    with: { model: 'gemini-3.1-pro-preview' },
    example: { ...declare({}), ...says(HI, CALL, RESULT) },
  },
  {
    id: 'GEM-108',
    text: 'A thought signature of another vendor',
    sure: 'src',
    source: LITELLM,
    refuses: ({ body }) =>
      partsOf(body).some((part) => OTHERS_SIGNATURE.test(textOf(field(part, 'thoughtSignature')))),
    example: says(
      HI,
      { role: 'model', parts: [{ text: 'hi', thoughtSignature: 'EpQB' }] },
      user({ text: 'hi' }),
    ),
  },
  {
    id: 'GEM-111',
    text: '2.x: `mediaResolution` of a part, or images within a response of a function',
    sure: 'src',
    source: `${LITELLM}; vercel/ai`,
    refuses: ({ model, body }) =>
      isBelow3(model) &&
      partsOf(body).some(
        (part) =>
          isGiven(field(part, 'mediaResolution')) ||
          isGiven(field(field(part, 'functionResponse'), 'parts')),
      ),
    example: says(
      HI,
      CALL,
      user({
        functionResponse: {
          name: 'weather',
          response: {},
          parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }],
        },
      }),
    ),
  },
  {
    id: 'GEM-052',
    text: '2.x: functions together with JSON output',
    sure: 'issue',
    source: 'symfony/ai#803',
    refuses: ({ model, body }) =>
      isBelow3(model) &&
      declarationsOf(body).length > 0 &&
      field(configOf(body), 'responseMimeType') === 'application/json',
    example: { ...declare({}), ...setting({ responseMimeType: 'application/json' }) },
  },
  {
    id: 'GEM-062',
    text: '`maxOutputTokens` above the most that the model writes',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) => {
      const most = OUTPUT_MOST.find(([name]) => name.test(model))?.[1] ?? Infinity
      return Number(field(configOf(body), 'maxOutputTokens') ?? 1) > most
    },
    example: setting({ maxOutputTokens: 100_000 }),
  },
  {
    id: 'GEM-064',
    text: 'Images or audio in the answer of a model that gives none',
    sure: 'src',
    source: LITELLM,
    refuses: ({ model, body }) =>
      listOf(field(configOf(body), 'responseModalities')).some(
        (modality) =>
          (modality === 'IMAGE' && !/image/.test(model)) ||
          (modality === 'AUDIO' && !/tts|audio/.test(model)),
      ),
    example: setting({ responseModalities: ['IMAGE'] }),
  },
]
