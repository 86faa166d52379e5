import type { Reply } from '../clients/received-chat.ts'
import type { Asked } from './asked.ts'
import type { Turn } from './double-server.ts'
import {
  type Change,
  changeOf,
  DRAFT_LINE,
  FINAL_LINE,
  type Move,
  type Moves,
  type Script,
} from './play.ts'

/* A long session, stage by stage: what the user asks, and what the model does about it. */

/** What the model does in a turn; `half` is an edit whose answer breaks off in the middle. */
export type Step = 'picture' | 'three' | 'read' | 'edit' | 'half'

export type Stage = {
  readonly name: string
  readonly steps: readonly Step[]
  /** The session moves to another vendor's model. */
  readonly isElsewhere?: true
  /** The agent has to summarize the session. */
  readonly compacts?: true
}

export const STAGES: readonly Stage[] = [
  {
    name: 'begin',
    steps: ['picture', 'three', 'read', 'edit', 'read', 'edit', 'three', 'edit', 'edit', 'half'],
  },
  { name: 'compaction', steps: ['read', 'edit', 'three', 'read', 'edit'], compacts: true },
  { name: 'other model', steps: ['picture', 'edit', 'three', 'read', 'edit'], isElsewhere: true },
  { name: 'back', steps: ['read', 'edit'] },
]

export const PICTURE = 'chart.png'
/** A blue PNG of 32 by 32 pixels. */
export const PICTURE_BYTES = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJklEQVR4nO3NsQkAAAjAsP7/tF7hIASyp5pjAoFAIBAIBAKB4EmwOkv8Lm7+zY4AAAAASUVORK5CYII=',
  'base64',
)
/** Files of a kB and more, so that the history grows. */
export const EXTRA_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  ['one', 'two'].map((name) => [
    `${name}.txt`,
    Array.from({ length: 40 }, (_, line) => `Line ${line} of the file ${name}.\n`).join(''),
  ]),
)

const MARK = 'Work on note.txt'
export const promptOf = ({ name }: Stage): string => `${MARK}, stage: ${name}. Go on.`
export const answerOf = ({ name }: Stage): string => `The stage is done: ${name}.`
const SUMMARY = `The user said: ${MARK}. It has the number 4711, and its status is known.`

/** Words of the newest message by which agents have a session summarized. */
const COMPACTION =
  /detailed summary of|CONTEXT CHECKPOINT COMPACTION|<state_snapshot>|anchored summary/
/** Aider says so in the system prompt. */
const BRIEFLY = /summarize this partial conversation/

type Given = {
  readonly script: Script
  readonly picture: readonly Move[]
  readonly work: string
  readonly callId: (name: string, index: number) => string
}

const THOUGHT = 'Short thought.'
const TITLE = 'Status of a note'

/** Plays the model through all stages of a session. */
export class SessionScript {
  /** Summaries that the agent has asked for. */
  compactions = 0
  /** Turns in which the model has called tools or edited. */
  turns = 0
  readonly #given: Given
  #stage: Stage = { name: '', steps: [] }
  #steps: readonly Step[] = []
  #calls = 0
  #isFinal = false
  #half = Promise.withResolvers<void>()
  #rest = Promise.withResolvers<void>()

  constructor(given: Given) {
    this.#given = given
  }

  begin(stage: Stage) {
    this.#stage = stage
    this.#steps = stage.steps
    this.#half = Promise.withResolvers<void>()
    this.#rest = Promise.withResolvers<void>()
  }

  /** Steps of the stage that the agent has not asked for. */
  get left(): number {
    return this.#steps.length
  }

  /** What has to stand in the note now. */
  get status(): string {
    return this.#isFinal ? FINAL_LINE : DRAFT_LINE
  }

  /** Fulfilled when half an answer is out. */
  get halfway(): Promise<void> {
    return this.#half.promise
  }

  /** Lets the vendor tell the other half. */
  finishAnswer() {
    this.#rest.resolve()
  }

  play(asked: Asked): Turn {
    const say = (text: string): Turn => ({
      reply: { reasoning: asked.reasons ? THOUGHT : '', text, calls: [] },
      counts: true,
    })
    const isBlocks = 'blocks' in this.#given.script
    if (isBlocks ? BRIEFLY.test(asked.texts) : COMPACTION.test(asked.last)) {
      this.compactions += 1
      return say(SUMMARY)
    }
    if (isBlocks ? !asked.texts.includes(MARK) : asked.tools.length === 0) return say(TITLE)
    const [step, ...rest] = this.#steps
    const reply = this.#replyTo(asked, step)
    if (reply === null) return say(`No tool for ${step} among ${asked.tools.join(', ')}.`)
    this.#steps = rest
    if (step !== undefined) this.turns += 1
    if (step === 'edit') this.#isFinal = !this.#isFinal
    if (step !== 'half') return { reply, counts: true }
    this.#half.resolve()
    return { reply, counts: true, pausesFor: this.#rest.promise }
  }

  #replyTo(asked: Asked, step: Step | undefined): Reply | null {
    const { script } = this.#given
    const reasoning = asked.reasons ? THOUGHT : ''
    if (step === undefined) return { reasoning, text: answerOf(this.#stage), calls: [] }
    if ('blocks' in script) {
      const isEdit = step === 'edit' || step === 'half'
      return { reasoning, text: isEdit ? script.blocks(this.#edit()) : 'I see.', calls: [] }
    }
    const calls = this.#callsFor(step, asked.tools, script.moves)
    return calls && { reasoning, text: `Now: ${step}.`, calls }
  }

  #callsFor(step: Step, tools: readonly string[], moves: Moves): Reply['calls'] | null {
    const { picture, work, callId } = this.#given
    const edit = () => this.#edit()
    const [choices, changes] = movesOf(step, { moves, picture, work, edit })
    const move = choices.find(({ tool }) => tools.includes(tool))
    if (move === undefined) return null
    return changes.map((change) => {
      this.#calls += 1
      const id = callId(move.tool, this.#calls)
      return { id, name: move.tool, arguments: move.arguments(change) }
    })
  }

  #edit(): Change {
    const [from, to] = this.#isFinal ? [FINAL_LINE, DRAFT_LINE] : [DRAFT_LINE, FINAL_LINE]
    return changeOf(this.#given.work, { from, to })
  }
}

type Chosen = {
  readonly moves: Moves
  readonly picture: readonly Move[]
  readonly work: string
  readonly edit: () => Change
}

/** The tools to choose from, and what the chosen one is called for. */
function movesOf(step: Step, { moves, picture, work, edit }: Chosen) {
  const at = (file: string) => changeOf(work, { file })
  if (step === 'picture') return [picture, [at(PICTURE)]] as const
  if (step === 'three') {
    const files = Object.keys(EXTRA_FILES)
    return [moves.read, [changeOf(work), ...files.map(at)]] as const
  }
  return [
    step === 'read' ? moves.read : moves.edit,
    [step === 'read' ? changeOf(work) : edit()],
  ] as const
}
