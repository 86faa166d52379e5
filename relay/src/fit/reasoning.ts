import type { JsonRecord } from '../bytes/json-value.ts'
import type { ModelCard } from '../cards/model-card.ts'
import { nearestEffort } from '../cards/nearest-effort.ts'
import { parameterError } from '../form/codec-errors.ts'
import { type ChatForm, textBlocks, type ToolChoice } from '../form/request.ts'
import { withSettings } from './with-changes.ts'

/**
 * Whether and how much the model reasons. Throws `UnsupportedParameterError` for a model that chat
 * completions do not serve.
 */
export function fitReasoning(form: ChatForm, card: ModelCard): ChatForm {
  const { reasoning } = card
  const { model, reasoning_effort: effort, tool_choice: choice } = form.settings
  if (reasoning.inChat === 'no_chat') {
    throw parameterError(
      `The model ${model} is served by OpenAI's Responses API only, which this channel does not use.`,
      'model',
    )
  }
  const { canBeOff, isDefault } = reasoning
  const reasons = effort === 'none' ? !canBeOff : isDefault || effort !== undefined
  const forcedTool = reasons && isRefusedForce(choice, card)
  const isOff = effort === 'none' || (forcedTool && canBeOff)
  const amount = isOff ? withSettings(form, offSettings(card)) : withEffort(form, card)
  return forcedTool && !canBeOff ? withoutForce(amount, card) : amount
}

/** A tool call that cannot be forced while the model reasons. */
function isRefusedForce(choice: ToolChoice | undefined, { tools }: ModelCard): boolean {
  if (tools.forcedWhileReasoning === 'all') return false
  return (
    typeof choice === 'object' || (choice === 'required' && tools.forcedWhileReasoning === 'none')
  )
}

/** The settings with which the model reasons least; undefined removes one. */
export function offSettings(card: ModelCard): JsonRecord {
  const { canBeOff, offMember, efforts, how } = card.reasoning
  if (!canBeOff) return { reasoning_effort: nearestEffort('none', card) ?? undefined }
  switch (offMember) {
    case 'thinking':
      return {
        reasoning_effort: undefined,
        ...(how === 'none' ? {} : { thinking: { type: 'disabled' } }),
      }
    case 'enable_thinking':
      return { reasoning_effort: undefined, enable_thinking: false }
    case 'reasoning_effort': {
      const isAccepted = efforts === null || efforts.includes('none')
      return { reasoning_effort: isAccepted ? 'none' : undefined }
    }
  }
}

function withEffort(form: ChatForm, card: ModelCard): ChatForm {
  const { reasoning } = card
  const { reasoning_effort: given, stream } = form.settings
  if (mustBeOff(form, card)) return withSettings(form, { reasoning_effort: 'none' })
  if (given === undefined) {
    const isWholeAnswer = reasoning.needsStream && stream !== true
    return isWholeAnswer ? withSettings(form, { enable_thinking: false }) : form
  }
  const isSwitchedOn = reasoning.offMember === 'thinking' && !reasoning.isDefault
  return withSettings(form, {
    reasoning_effort:
      reasoning.efforts === null ? given : (nearestEffort(given, card) ?? undefined),
    ...(isSwitchedOn ? { thinking: { type: 'enabled' } } : {}),
  })
}

/** Chat completions serve some models with tools only while they do not reason. */
function mustBeOff(
  { tools, settings }: ChatForm,
  { reasoning: { inChat, efforts } }: ModelCard,
): boolean {
  if (tools.length === 0 || efforts?.includes('none') !== true) return false
  const hasEffort = settings.reasoning_effort !== undefined
  return inChat === 'no_tools_unless_off' || (inChat === 'no_tools_with_effort' && hasEffort)
}

/** Asks for the call in a system message, as the model cannot be forced. */
function withoutForce(form: ChatForm, { tools }: ModelCard): ChatForm {
  const { tool_choice: choice } = form.settings
  const isNamed = typeof choice === 'object' && choice.type !== 'allowed_tools'
  const toolPhrase = isNamed ? `the tool ${choice.name}` : 'one of the tools'
  // At the end, because vendors cache the beginning of a prompt.
  const blocks = textBlocks(`Answer by calling ${toolPhrase}.`)
  const told = { ...form, messages: [...form.messages, { role: 'system', blocks } as const] }
  const { forcedWhileReasoning } = tools
  return withSettings(told, {
    tool_choice: forcedWhileReasoning === 'any_tool' ? 'required' : 'auto',
  })
}
