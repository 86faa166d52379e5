import { isPresent, type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { Tool } from '../../form/request.ts'

/*
 * Tools that OpenAI defines and the client runs, as functions for other providers
 * (https://platform.openai.com/docs/guides/tools-shell, diegosouzapw/OmniRoute#3534). The arguments
 * of the function are the action or operation in the item of a call.
 */

const text = (description: string) => ({ type: 'string', description })
const TIMEOUT = { type: 'integer', description: 'Milliseconds.' }

const DIFF = `For create_file: the content, each line after a "+". For update_file: a V4A \
diff, whose sections begin with "@@" and an optional line of context, and whose lines begin with \
" ", "-" or "+".`

type BuiltInTool = Required<Pick<Tool, 'description' | 'parameters'>> & {
  /** How ids of items begin. */
  readonly prefix: string
  /** The item of a call without its id and status. */
  readonly call: (input: JsonRecord) => JsonRecord
}

const objectOf = (properties: JsonRecord, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** Some models name the member otherwise, or give a text or nothing but a text. */
const commandIn = ({ commands, command, cmd, input }: JsonRecord): unknown =>
  commands ?? command ?? cmd ?? input

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const textsIn = (given: unknown): string[] => [given ?? []].flat().map(asText)

/** Clients do not read a call with members of a wrong type. */
function textMembers(input: JsonRecord, ...names: readonly string[]): JsonRecord {
  const given = names.filter((name) => isPresent(input[name]))
  return Object.fromEntries(given.map((name) => [name, asText(input[name])]))
}

function numberMembers(input: JsonRecord, ...names: readonly string[]): JsonRecord {
  const numbers = names.map(
    (name) => [name, Math.trunc(Number(input[name] ?? Number.NaN))] as const,
  )
  return Object.fromEntries(
    numbers.filter(([, value]) => value >= 0 && Number.isSafeInteger(value)),
  )
}

export const BUILT_IN = {
  local_shell: {
    description: 'Runs a command on the computer of the user.',
    parameters: objectOf(
      {
        command: { type: 'array', items: text('The program, or an argument.') },
        working_directory: text('Where it runs.'),
        timeout_ms: TIMEOUT,
      },
      'command',
    ),
    prefix: 'lsh',
    call: (input) => ({
      action: {
        type: 'exec',
        // A line is for a shell.
        command:
          typeof commandIn(input) === 'string'
            ? ['bash', '-lc', commandIn(input)]
            : textsIn(commandIn(input)),
        env: {},
        ...textMembers(input, 'working_directory'),
        ...numberMembers(input, 'timeout_ms'),
      },
    }),
  },
  shell: {
    description: 'Runs commands in a shell on the computer of the user.',
    parameters: objectOf(
      {
        commands: { type: 'array', items: text('A line for the shell.') },
        timeout_ms: TIMEOUT,
        max_output_length: { type: 'integer', description: 'Characters of output to return.' },
      },
      'commands',
    ),
    prefix: 'sh',
    call: (input) => ({
      action: {
        commands: textsIn(commandIn(input)),
        timeout_ms: null,
        max_output_length: null,
        ...numberMembers(input, 'timeout_ms', 'max_output_length'),
      },
    }),
  },
  apply_patch: {
    description: 'Creates, changes or deletes a file of the user.',
    parameters: objectOf(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: text('The path of the file.'),
        diff: text(DIFF),
      },
      'type',
      'path',
    ),
    prefix: 'apc',
    call: (input) => ({ operation: textMembers(input, 'type', 'path', 'diff') }),
  },
} as const satisfies Readonly<Record<string, BuiltInTool>>

export type BuiltInType = keyof typeof BUILT_IN

/** What the definitions add to a prompt whose client names the types alone. */
export const definitionBytes = (tools: readonly unknown[]): number =>
  tools
    .map((tool) => textOf(member(tool, 'type')))
    .reduce((sum, type) => sum + (isBuiltIn(type) ? JSON.stringify(BUILT_IN[type]).length : 0), 0)

export const isBuiltIn = (type: string): type is BuiltInType => Object.hasOwn(BUILT_IN, type)
