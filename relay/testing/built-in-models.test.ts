import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { cardOf } from '../src/cards/card-of.ts'
import { contextWindow, maxOutputTokens, usesHiddenReasoning } from '../src/cards/model-facts.ts'
import { catalogue } from '../src/catalogue.ts'
import { mayReason, mayUseHiddenReasoning } from '../src/reasoning.ts'
import { traitsOf as claudeTraits } from '../src/wires/anthropic-messages/model-traits.ts'

const FILE = path.join(import.meta.dirname, 'built-in-models.expected.json')

const readExpected = () =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(FILE, 'utf8')))

/** Models stay in the file after the catalogue drops them, because channels may still name them. */
const MODELS = [
  ...new Set([...catalogue.flatMap(({ models }) => models), ...Object.keys(readExpected())]),
].toSorted()

const answersFor = (model: string) => ({
  window: contextWindow(model),
  output: maxOutputTokens(model),
  hidden: usesHiddenReasoning([model]),
  completionLimit: cardOf('unknown', model).limits.outputMember === 'max_completion_tokens',
  mayReason: mayReason({ outline: {} }, model),
  hiddenUnasked: mayUseHiddenReasoning({ outline: {} }, [model]),
  hiddenOff: mayUseHiddenReasoning({ outline: { reasoning_effort: 'none' } }, [model]),
  ...(/claude/.test(model) ? { claude: claudeTraits(model) } : {}),
  ...(/gemini/.test(model) ? { gemini: geminiTraits(model) } : {}),
})

function geminiTraits(model: string) {
  const { reasoning, tools, content } = cardOf('google', model)
  return {
    thinking: reasoning.how === 'level' || reasoning.how === 'budget' ? reasoning.how : 'none',
    takesJsonSchema: tools.enforcesSchemas,
    takesSystem: content.system !== 'none',
    signsCalls: tools.signsCalls,
  }
}

/** A change of these answers changes holds, bounds of usage, and what providers are sent. */
test('the model cards of built-in models are the known ones', () => {
  const answers = Object.fromEntries(MODELS.map((model) => [model, answersFor(model)]))
  if (process.env['UPDATE_FIXTURES'] === '1') {
    const lines = MODELS.map(
      (model) => `  ${JSON.stringify(model)}: ${JSON.stringify(answers[model])}`,
    )
    writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
  }
  expect(answers).toEqual(readExpected())
})
