import { z } from 'zod'
import { getStoredJson, onStored, setStored, setStoredJson } from '../../lib/storage.ts'
import { contentOf } from './answer-content.ts'
import { NO_PARAMETERS, type Turn } from './conversation.ts'

const attachment = z.object({
  kind: z.enum(['image', 'pdf', 'text']),
  name: z.string(),
  data: z.string(),
  isLost: z.boolean().optional(),
})

const call = z.object({
  index: z.int().catch(0),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  result: z.string(),
})

const answer = z.object({
  // A request ends with its page.
  state: z
    .enum(['running', 'finished', 'stopped', 'failed'])
    .transform((state) => (state === 'running' ? 'stopped' : state)),
  model: z.string(),
  text: z.string(),
  reasoning: z.string(),
  calls: z.array(call),
  images: z.array(z.string()).catch([]),
  finishReason: z.string().catch(''),
  error: z.string(),
  errorCode: z.string().default(''),
  requestId: z.string(),
  firstTokenMs: z.number().nullable(),
})

const side = z.object({ model: z.string(), channel: z.int().nullable() })

export type Side = z.output<typeof side>

const playState = z.object({
  tokenId: z.int().nullable(),
  /** The second side is compared with the first. An empty model is the usual one. */
  sides: z.array(side).min(1).max(2),
  parameters: z.object({
    system: z.string(),
    temperature: z.string(),
    topP: z.string(),
    maxTokens: z.string(),
    effort: z.string(),
    tools: z.string(),
    isStreamed: z.boolean(),
  }),
  turns: z
    .array(
      z.object({
        id: z.string(),
        text: z.string(),
        attachments: z.array(attachment),
        answers: z.array(answer.nullable()),
      }),
    )
    .readonly(),
})

type Stored = z.output<typeof playState>

export type PlayState = Omit<Stored, 'turns'> & { turns: readonly Turn[] }

const EMPTY: PlayState = {
  tokenId: null,
  sides: [{ model: '', channel: null }],
  parameters: NO_PARAMETERS,
  turns: [],
}

/** Users of one browser do not see each other's conversations. */
const keyOf = (userId: number) => `play-${userId}` as const

export const readPlay = (userId: number): PlayState =>
  playState.safeParse(getStoredJson(keyOf(userId))).data ?? EMPTY

export function storePlay(userId: number, state: PlayState) {
  const isEmpty = JSON.stringify(state) === JSON.stringify(EMPTY)
  if (isEmpty) setStored(keyOf(userId), null)
  else setStoredJson(keyOf(userId), state, () => withoutFiles(state))
}

/** Browsers keep about five million characters, fewer than some images have. */
const withoutFiles = (state: PlayState): PlayState => ({
  ...state,
  turns: state.turns.map((turn) => ({
    ...turn,
    attachments: turn.attachments.map((attachment) => ({ ...attachment, data: '', isLost: true })),
    answers: turn.answers.map(
      (answer) => answer && { ...answer, text: contentOf(answer).text, images: [] },
    ),
  })),
})

/** Runs `listener` when another tab has stored a conversation. Returns an unsubscribe function. */
export const onOtherPlay = (userId: number, listener: (state: PlayState) => void) =>
  onStored(keyOf(userId), (where) => {
    if (where === 'elsewhere') listener(readPlay(userId))
  })
