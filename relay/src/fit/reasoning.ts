import type { ModelCard } from '../cards/model-card.ts'
import { nearestEffort } from '../cards/nearest-effort.ts'
import { UnsupportedParameterError } from '../codec/provider-codec.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../json-value.ts'
import { withChanges } from './with-changes.ts'

/**
 * Whether and how much the model reasons. Throws `UnsupportedParameterError` for a model that chat
 * completions do not serve.
 */
export function fitReasoning(json: JsonRecord, card: ModelCard): JsonRecord {
  const { reasoning } = card
  if (reasoning.inChat === 'no_chat') {
    throw new UnsupportedParameterError(
      `The model ${textOf(json['model'])} is served by OpenAI's Responses API only, which this channel does not use.`,
      'model',
    )
  }
  const { canBeOff, isDefault } = reasoning
  const { reasoning_effort: effort } = json
  const reasons = effort === 'none' ? !canBeOff : isDefault || effort !== undefined
  const forcedTool = reasons && isRefusedForce(json['tool_choice'], card)
  const isOff = effort === 'none' || (forcedTool && canBeOff)
  const amount = isOff ? switchedOff(json, card) : withEffort(json, card)
  return forcedTool && !canBeOff ? withoutForce(amount, card) : amount
}

/** A tool call that cannot be forced while the model reasons. */
function isRefusedForce(choice: unknown, { tools }: ModelCard): boolean {
  if (tools.forcedWhileReasoning === 'all') return false
  return isRecord(choice) || (choice === 'required' && tools.forcedWhileReasoning === 'none')
}

function switchedOff(json: JsonRecord, card: ModelCard): JsonRecord {
  const { canBeOff, offMember, efforts, how } = card.reasoning
  if (!canBeOff) {
    return withChanges(json, { reasoning_effort: nearestEffort('none', card) ?? undefined })
  }
  switch (offMember) {
    case 'thinking':
      return withChanges(json, {
        reasoning_effort: undefined,
        ...(how === 'none' ? {} : { thinking: { type: 'disabled' } }),
      })
    case 'enable_thinking':
      return withChanges(json, { reasoning_effort: undefined, enable_thinking: false })
    case 'reasoning_effort': {
      const isAccepted = efforts === null || efforts.includes('none')
      return withChanges(json, { reasoning_effort: isAccepted ? 'none' : undefined })
    }
  }
}

function withEffort(json: JsonRecord, card: ModelCard): JsonRecord {
  const { reasoning } = card
  const { reasoning_effort: given } = json
  if (mustBeOff(json, card)) return withChanges(json, { reasoning_effort: 'none' })
  if (given === undefined) {
    const isWholeAnswer = reasoning.needsStream && json['stream'] !== true
    return isWholeAnswer ? { ...json, enable_thinking: false } : json
  }
  const isSwitchedOn = reasoning.offMember === 'thinking' && !reasoning.isDefault
  return withChanges(json, {
    reasoning_effort:
      reasoning.efforts === null ? given : (nearestEffort(given, card) ?? undefined),
    ...(isSwitchedOn ? { thinking: { type: 'enabled' } } : {}),
  })
}

/** Chat completions serve some models with tools only while they do not reason. */
function mustBeOff(json: JsonRecord, { reasoning: { inChat, efforts } }: ModelCard): boolean {
  if (listOf(json['tools']).length === 0 || efforts?.includes('none') !== true) return false
  const hasEffort = json['reasoning_effort'] !== undefined
  return inChat === 'no_tools_unless_off' || (inChat === 'no_tools_with_effort' && hasEffort)
}

/** Asks for the call in a system message, as the model cannot be forced. */
function withoutForce(json: JsonRecord, { tools }: ModelCard): JsonRecord {
  const choice = json['tool_choice']
  const name = textOf(member(member(choice, 'function'), 'name'))
  const toolPhrase = name === '' ? 'one of the tools' : `the tool ${name}`
  // At the end, because vendors cache the beginning of a prompt.
  const instruction = { role: 'system', content: `Answer by calling ${toolPhrase}.` }
  return {
    ...json,
    tool_choice: tools.forcedWhileReasoning === 'any_tool' ? 'required' : 'auto',
    messages: [...listOf(json['messages']), instruction],
  }
}
