import { type CodeForm, codeOf, formsOf } from '../../../lib/snippets/code.ts'
import { exampleRequest } from '../../../lib/snippets/example.ts'
import { modelCommand } from '../../../lib/snippets/model-code.ts'
import type { Client, Setup, StepText } from './setup.ts'

const code = (form: CodeForm, text: StepText) => (setup: Setup) => {
  const { path, body } = exampleRequest(setup.model)
  if (body === undefined || !formsOf(path).includes(form)) return commandSteps(setup)
  return [{ text, copies: codeOf(form, { address: setup.address, key: setup.key, path, body }) }]
}

const commandSteps = (setup: Setup) => [
  { text: 'connect.step.run' as const, copies: modelCommand(setup.model, setup) },
]

/** Programs of the reader's own. */
export const PROGRAMS: readonly Client[] = [
  { id: 'curl', name: 'curl', steps: commandSteps },
  { id: 'python', name: 'Python', steps: code('python', 'connect.step.python') },
  { id: 'node', name: 'Node.js', steps: code('node', 'connect.step.node') },
]
