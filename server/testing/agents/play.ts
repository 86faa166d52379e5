import path from 'node:path'
import type { Reply } from '../clients/received-chat.ts'
import type { Asked } from './asked.ts'

/*
 * The script of the model: it reads a file, edits it and answers with what the file holds. Whatever
 * else is asked, such as a title for the session, gets a short text.
 */

export const FILE = 'note.txt'
export const DRAFT = 'Ticket 4711\nStatus: draft\n'
export const FINAL = 'Ticket 4711\nStatus: final\n'
const TASK_MARK = 'Set the status in note.txt'
export const TASK = `${TASK_MARK} from draft to final, then tell me the number of the ticket.`
export const ANSWER = 'The ticket is 4711.'

/** A file to read, and what to replace in it. */
export type Change = {
  /** Relative to the work folder. */
  readonly file: string
  /** Absolute. */
  readonly at: string
  readonly from: string
  readonly to: string
}

export const DRAFT_LINE = 'Status: draft'
export const FINAL_LINE = 'Status: final'

export const changeOf = (work: string, given: Partial<Change> = {}): Change => {
  const file = given.file ?? FILE
  return { file, at: path.join(work, file), from: DRAFT_LINE, to: FINAL_LINE, ...given }
}

/** A tool and the arguments with which it reads or edits a file. */
export type Move = {
  readonly tool: string
  readonly arguments: (change: Change) => Readonly<Record<string, unknown>>
}

/** In order of preference; the first tool that the request offers is called. */
export type Moves = { readonly read: readonly Move[]; readonly edit: readonly Move[] }

/** How an agent lets the model read and edit: by tools, or by blocks in the text of the answer. */
export type Script = { readonly moves: Moves } | Blocks

export type Blocks = { readonly blocks: (change: Change) => string }

type Given = {
  readonly script: Script
  readonly work: string
  readonly callId: (name: string, index: number) => string
}

const THOUGHT = 'Short thought.'
const TITLE = 'Status of a note'

export function replyTo(asked: Asked, { script, work, callId }: Given): Reply {
  const reasoning = asked.reasons ? THOUGHT : ''
  const say = (text: string): Reply => ({ reasoning, text, calls: [] })
  if (!asked.texts.includes(TASK_MARK)) return say(TITLE)
  if ('blocks' in script) return say(script.blocks(changeOf(work)))
  const { read, edit } = script.moves
  const turn = asked.results.length
  const choices = [read, edit][turn]
  if (choices === undefined) return say(answerFrom(asked.results))
  const move = choices.find(({ tool }) => asked.tools.includes(tool))
  if (move === undefined) return say(asked.tools.length === 0 ? TITLE : unknownTools(asked, turn))
  const call = {
    id: callId(move.tool, turn),
    name: move.tool,
    arguments: move.arguments(changeOf(work)),
  }
  return { reasoning, text: turn === 0 ? 'Let me see.' : '', calls: [call] }
}

/** Right only if the result of the first call has reached the model. */
const answerFrom = (results: readonly string[]) =>
  `The ticket is ${/Ticket (\d+)/.exec(results[0] ?? '')?.[1] ?? 'unknown'}.`

const unknownTools = ({ tools }: Asked, turn: number) =>
  `No tool for turn ${turn} among ${tools.join(', ')}.`
