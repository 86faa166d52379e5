import { isRecord, type JsonRecord, parseJson } from '@tollgate/relay'
import type { Agent, Place } from './agents.ts'
import type { Move } from './play.ts'
import { PICTURE, promptOf, type Stage, STAGES } from './session-script.ts'

/* How agents continue a session, look at a picture and have a session summarized. */

export type StageRun = {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** In the home folder. */
  readonly files?: Readonly<Record<string, string>>
  /** What the user types. */
  readonly typed?: string
}

type Given = {
  readonly place: Place
  readonly agent: Agent
  readonly stage: Stage
  readonly isFirst: boolean
  /** Tokens of the prompt before. */
  readonly tokens: number
}

export type SessionWay = {
  /** For agents that cannot continue a session: each stage is a session of its own. */
  readonly stages?: readonly Stage[]
  /** Tools that show a picture to the model. */
  readonly picture: readonly Move[]
  readonly run: (given: Given) => StageRun
  /** A run of its own before the stage, for agents that summarize on a command. */
  readonly compact?: (given: Given) => StageRun
}

/** Places words before the task, which is the last argument. */
const withWords = (command: readonly string[], ...words: string[]) => [
  ...command.slice(0, -1),
  ...words,
  ...command.slice(-1),
]

/** Adds words after the first time that `word` stands in the command. */
const after = (command: readonly string[], word: string, ...words: string[]) => {
  const at = command.indexOf(word) + 1
  return [...command.slice(0, at), ...words, ...command.slice(at)]
}

const commandOf = ({ agent, place, stage }: Given, prompt = promptOf(stage)) =>
  agent.command(place, prompt)

/** History that is a tenth shorter has not reached the limit yet. */
const below = (tokens: number) => Math.floor(tokens * 0.9)

const codex: SessionWay = {
  picture: [
    { tool: 'view_image', arguments: ({ at }) => ({ path: at }) },
    {
      tool: 'exec',
      arguments: ({ at }) => ({
        input: `image(await tools.view_image({ path: ${JSON.stringify(at)} }))`,
      }),
    },
  ],
  run: (given) => {
    const plain = commandOf(given)
    if (given.isFirst) return { command: plain }
    const limit = `model_auto_compact_token_limit=${below(given.tokens)}`
    const limited = given.stage.compacts ? ['-c', limit] : []
    return {
      command: withWords(
        after(plain, 'exec', 'resume', '--last'),
        '--model',
        given.place.model,
        ...limited,
      ),
    }
  },
}

const claude: SessionWay = {
  picture: [{ tool: 'Read', arguments: ({ at }) => ({ file_path: at }) }],
  run: (given) => ({
    command: [...commandOf(given), ...(given.isFirst ? [] : ['--continue'])],
  }),
  compact: (given) => ({ command: [...commandOf(given, '/compact'), '--continue'] }),
}

const mapValues = (
  record: Readonly<Record<string, string>>,
  change: (text: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(record).map(([name, text]) => [name, change(text)]))

const OPENCODE_OUTPUT = 32_000

const opencode: SessionWay = {
  picture: [{ tool: 'read', arguments: ({ at }) => ({ filePath: at }) }],
  run: (given) => {
    const { agent, place, stage, tokens, isFirst } = given
    const command = isFirst ? commandOf(given) : withWords(commandOf(given), '--continue')
    const whole = agent.files(place)
    if (!stage.compacts) return { command, files: whole }
    const small = `"context":${below(tokens) + OPENCODE_OUTPUT}`
    const files = mapValues(whole, (text) => text.replaceAll('"context":200000', small))
    return { command, files }
  },
}

const GEMINI_WINDOW = 1_048_576

const COMPRESSION = [
  'chat-compression-default',
  'chat-compression-3-pro',
  'chat-compression-2.5-flash',
]
const aliasTo = (model: string) => (name: string) => [name, { modelConfig: { model } }] as const

const settingsIn = (text: string): JsonRecord => {
  const settings = parseJson(text)
  return isRecord(settings) ? settings : {}
}

const gemini: SessionWay = {
  picture: [{ tool: 'read_file', arguments: ({ file }) => ({ file_path: file }) }],
  run: (given) => {
    const { agent, place, stage, tokens, isFirst } = given
    const resumed = isFirst ? [] : ['--resume', 'latest']
    const command = [...commandOf(given), ...resumed]
    const whole = agent.files(place)
    if (!stage.compacts) return { command, files: whole }
    const more = {
      model: { compressionThreshold: below(tokens) / GEMINI_WINDOW },
      // Else it has the session summarized by a Gemini, whatever it was asked to use.
      modelConfigs: { customAliases: Object.fromEntries(COMPRESSION.map(aliasTo(place.model))) },
    }
    const files = mapValues(whole, (text) => JSON.stringify({ ...settingsIn(text), ...more }))
    return { command, files }
  },
}

const qwen: SessionWay = {
  picture: [{ tool: 'read_file', arguments: ({ at }) => ({ file_path: at }) }],
  run: (given) => ({
    command: [...commandOf(given), ...(given.isFirst ? [] : ['--continue'])],
    env: { OPENAI_MODEL: given.place.model },
  }),
  compact: (given) => ({ command: [...commandOf(given, '/compress'), '--continue'] }),
}

/** It continues a session on a terminal only. */
const cline: SessionWay = {
  stages: [
    {
      name: 'begin',
      steps: STAGES.flatMap(({ steps }) => steps.filter((step) => step !== 'half')),
    },
    { name: 'interrupted', steps: ['read', 'half'] },
  ],
  picture: [{ tool: 'read_files', arguments: ({ at }) => ({ files: [{ path: at }] }) }],
  run: (given) => ({ command: commandOf(given) }),
}

/** Aider has no tools: each turn is a message of the user. */
const aider: SessionWay = {
  picture: [],
  run: (given) => {
    const { stage, isFirst } = given
    const prompt = promptOf(stage)
    const command = commandOf(given).filter((word) => word !== '--message' && word !== prompt)
    const messages = [...stage.steps.map(() => prompt), prompt]
    const lines = stage.steps.includes('picture') ? [`/add ${PICTURE}`, ...messages] : messages
    return {
      command: withWords(
        command,
        ...(isFirst ? [] : ['--restore-chat-history']),
        ...(stage.compacts ? ['--max-chat-history-tokens', '500'] : []),
      ),
      typed: lines.map((line) => `${line}\n`).join(''),
    }
  },
}

export const SESSION_WAYS: Readonly<Record<string, SessionWay>> = {
  codex,
  claude,
  opencode,
  gemini,
  qwen,
  cline,
  aider,
}
