import { z } from 'zod'
import { rule } from './problem.ts'

/*
 * What an operator may state about a model, in place of what the gateway knows. `ModelCard`
 * in the relay documents the members.
 */

const TOKENS_MAX = 100_000_000

const tokens = z.int().min(1).max(TOKENS_MAX).nullable()
const flag = z.boolean()
const range = z
  .strictObject({ min: z.number(), max: z.number() })
  .refine(
    ({ min, max }) => min <= max,
    rule('must have a min of at most its max', 'min 不能大于 max'),
  )
  .nullable()

/** Amounts of reasoning, weakest first. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const efforts = z
  .array(z.enum(EFFORTS))
  .max(EFFORTS.length)
  .transform((given) => EFFORTS.filter((effort) => given.includes(effort)))

const limits = z.strictObject({
  context: tokens,
  output: tokens,
  outputSetting: tokens,
  outputMember: z.enum(['max_tokens', 'max_completion_tokens']),
})

const reasoning = z.strictObject({
  how: z.enum(['effort', 'level', 'budget', 'adaptive', 'switch', 'none']),
  efforts: efforts.nullable(),
  canBeOff: flag,
  offMember: z.enum(['reasoning_effort', 'thinking', 'enable_thinking']),
  isDefault: flag,
  isHidden: flag,
  needsStream: flag,
  inChat: z.enum(['all', 'no_tools_with_effort', 'no_tools_unless_off', 'no_chat']),
})

const reasoningBack = z.strictObject({
  policy: z.enum(['required_with_calls', 'welcome', 'signed_only', 'ignored']),
  member: z.enum(['reasoning_content', 'reasoning']),
  placeholder: z.string().max(1000).nullable(),
  takesDetails: flag,
  takesSignatures: flag,
})

const sampling = z.strictObject({
  takes: z.enum(['all', 'without_reasoning', 'none']),
  temperature: range,
  topP: range,
  takesPenalties: flag,
  takesLogprobs: flag,
  stops: z.int().min(0).max(100).nullable(),
})

const tools = z.strictObject({
  forcedWhileReasoning: z.enum(['all', 'any_tool', 'none']),
  takesStrict: flag,
  takesSchemaIds: flag,
  takesAdditionalProperties: flag,
  takesUndeclaredCalls: flag,
  takesNoParameters: flag,
  enforcesSchemas: flag,
  signsCalls: flag,
})

const content = z.strictObject({
  takesTextLists: flag,
  system: z.enum(['any', 'first', 'none']),
  takesDeveloper: flag,
  takesNullContent: flag,
  takesResultLists: flag,
  takesUserAfterTool: flag,
  demandsOrder: flag,
  takesRepeatedRoles: flag,
  takesPrefill: flag,
  takesUnknownMembers: flag,
  takesTextOnly: flag,
  takesFileAddresses: flag,
  takesAnswerSchemas: flag,
  isMultimodal: flag,
})

export const cardOverride = z
  .strictObject({
    limits: limits.exactPartial(),
    reasoning: reasoning.exactPartial(),
    reasoningBack: reasoningBack.exactPartial(),
    sampling: sampling.exactPartial(),
    tools: tools.exactPartial(),
    content: content.exactPartial(),
  })
  .exactPartial()

export type CardOverride = z.output<typeof cardOverride>
