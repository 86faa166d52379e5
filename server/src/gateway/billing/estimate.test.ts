import { expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay'
import { NO_OVERRIDES } from '../../upstream/channel-overrides.ts'
import type { RelayDeps, RelayContext } from '../context.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import { type LostAnswer, estimateOutput } from './estimate.ts'
import { outputWithoutLimit } from './hold-amount.ts'

const PRICE = { model_ratio: 1, completion_ratio: 2, cache_ratio: 1, cache_write_ratio: 1 }
const OPENAI = 1
const TENCENT = 23

type Given = {
  stream?: boolean
  choices?: number
  outputLimit?: number | null
  held?: number
  type?: number
  model?: string
  /** What the channel's health has measured. */
  usualMs?: number | null
  rate?: number | null
} & Partial<Pick<LostAnswer, 'workedMs' | 'isHungUp' | 'isSilent'>>

const SILENT = { isHungUp: false, isSilent: true }

function estimate(given: Given, promptTokens = 0): number {
  const { stream = false, choices = 1, outputLimit = null, held = 1e9, type = OPENAI } = given
  const { model = 'gpt-4o', usualMs = null, rate = null, workedMs = 0, isHungUp = true } = given
  const { isSilent = false } = given
  const health = { latencyP95Ms: () => usualMs, tokensPerSecondP95: () => rate }
  // Safe because an estimate reads nothing else of them.
  const deps = { health, limits: GATEWAY_LIMITS } as unknown as RelayDeps
  // Safe because nothing else of a request matters here.
  const context = {
    parsedRequest: { stream, choices, outputLimit },
    authorization: { outputLimit: () => null, hold: { amount: held } },
    terms: { groupRatio: 1 },
  } as unknown as RelayContext
  const channel = { descriptor: descriptorOf(type), overrides: NO_OVERRIDES }
  const names = { channel, upstreamModel: model, modelNames: [model] }
  const DefaultMaxTokens = OPTIONS.DefaultMaxTokens.default
  const outputTokensMax = outputWithoutLimit(names, { DefaultMaxTokens })
  const target = { ...names, price: PRICE, outputTokensMax }
  // Safe because nothing else of a target matters here.
  const lost = { target, workedMs, isHungUp, isSilent } as unknown as LostAnswer
  return estimateOutput(deps, context, lost)(promptTokens)
}

test.each<[string, Given, number]>([
  ['an unknown model, at once', {}, 2000],
  ['an unknown model, after longer than usual', { workedMs: 30_000 }, 3000],
  ['the usual output', { usualMs: 4000, rate: 50 }, 200],
  ['longer than the usual time', { usualMs: 4000, rate: 50, workedMs: 6000 }, 300],
  ['what broke off by itself, by its time', { workedMs: 500, isHungUp: false }, 50],
  ['what was silent, by the usual time', { workedMs: 300_000, ...SILENT }, 2000],
  ['the usual output, after silence', { usualMs: 4000, workedMs: 300_000, ...SILENT }, 400],
  ['silence that was shorter, by its time', { workedMs: 500, ...SILENT }, 50],
  ['a silent stream', { workedMs: 300_000, stream: true, ...SILENT }, 2000],
  ['a stream, by its time', { workedMs: 500, stream: true }, 50],
  ['no more than the limit of the client', { outputLimit: 7 }, 7],
  ['that limit for each choice', { outputLimit: 7, choices: 3 }, 21],
  ['each choice, as they are written side by side', { workedMs: 30_000, choices: 2 }, 6000],
  ['no more than the model can write', { workedMs: 600_000 }, 16_384],
  ['a limit that the provider ignores', { outputLimit: 7, type: TENCENT }, 2000],
  ['no more than is held', { held: 300 }, 150],
  ['nothing where nothing is held', { held: 0 }, 0],
])('estimates %s', (_what, given, tokens) => {
  expect(estimate(given)).toBe(tokens)
})

test('the hold pays for the prompt first', () => {
  expect(estimate({ held: 300 }, 100)).toBe(100)
  expect(estimate({ held: 300 }, 400)).toBe(0)
})
