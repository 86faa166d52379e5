import { isRecord, type JsonRecord, listOf, member, omit, textOf } from '../../bytes/json-value.ts'
import { formerName } from '../../fit/names.ts'
import { ABORTED, toldResult } from '../../fit/pairs.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import { PARAGRAPH } from '../../form/request.ts'
import { wordSet } from '../../provider.ts'
import { mendTurns, type TurnRules } from '../mend-turns.ts'
import { withoutOwnCitations } from './citations.ts'

const NAMES = { pattern: /^[\w-]+$/, lengthMax: 200 }
/** Blocks of results that a message of the user may have too. */
const SHOWN = wordSet('image document search_result')

/**
 * The messages as Claude accepts them: each call has a result at the beginning of the next turn,
 * and no text is blank
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use). The same list
 * if nothing changes. An outline changes if the whole request does.
 */
export function mendMessages(messages: readonly unknown[]): readonly unknown[] {
  const nested = new NestedJson()
  return mendTurns(messages, {
    ...RULES,
    accepted: (block, isModel) => acceptedBlock(block, isModel, nested),
  })
}

/** A text alone may stand in place of blocks. */
export function blocksOf(message: unknown): readonly unknown[] {
  const content = member(message, 'content')
  return typeof content === 'string' && content !== '' ? [textBlock(content)] : listOf(content)
}

export const withoutBlankTexts = (blocks: readonly unknown[]) =>
  blocks.filter((block) => member(block, 'type') !== 'text' || !isBlank(member(block, 'text')))

export const isBlank = (text: unknown) => typeof text === 'string' && text.trim() === ''

const textBlock = (text: string) => ({ type: 'text', text })
const isType = (type: string) => (block: unknown) => member(block, 'type') === type

const RULES: Omit<TurnRules, 'accepted'> = {
  listName: 'content',
  blocksOf,
  isModel: (message) => member(message, 'role') === 'assistant',
  isCall: isType('tool_use'),
  isResult: isType('tool_result'),
  callKeys: (call) => [textOf(member(call, 'id'))],
  resultKey: (result) => textOf(member(result, 'tool_use_id')),
  aborted: (call) => ({
    type: 'tool_result',
    tool_use_id: member(call, 'id'),
    content: ABORTED,
  }),
  told: (result) => {
    const blocks = blocksOf(result)
    const texts = blocks.map((block) => textOf(member(block, 'text')))
    const text = toldResult(textOf(member(result, 'tool_use_id')), texts.join(PARAGRAPH))
    return [textBlock(text), ...blocks.filter((block) => SHOWN.has(textOf(member(block, 'type'))))]
  },
  textBlock,
}

function acceptedBlock(block: unknown, isModel: boolean, nested: NestedJson): unknown {
  if (!isRecord(block)) return block
  switch (block['type']) {
    case 'text':
      return isBlank(block['text']) ? [] : withoutOwnCitations(block)
    case 'tool_use':
      return isModel && textOf(block['name']) !== '' ? acceptedCall(block, nested) : []
    case 'tool_result':
      return isModel ? [] : withFilledContent(block)
    default:
      return withFilledContent(block)
  }
}

function acceptedCall(call: JsonRecord, nested: NestedJson): JsonRecord {
  const { name: given, input } = call
  const name = formerName(textOf(given), NAMES)
  if (name === given && isRecord(input)) return call
  return { ...call, name, input: isRecord(input) ? input : argumentsIn(textOf(input), nested) }
}

function withFilledContent(block: JsonRecord): JsonRecord {
  const { content } = block
  if (!Array.isArray(content)) return block
  const filled = withoutBlankTexts(content)
  if (filled.length === content.length) return block
  return filled.length === 0 ? omit(block, 'content') : { ...block, content: filled }
}
