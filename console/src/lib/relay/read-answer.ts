import { z } from 'zod'

/** What a piece of an answer adds. Calls are in pieces, too, told apart by their index. */
export type Delta = {
  text: string
  reasoning: string
  /** Data URLs; addresses on other servers are left out. */
  images: readonly string[]
  /** Empty until the last piece. */
  finishReason: string
  calls: readonly { index: number; id: string; name: string; arguments: string }[]
}

const call = z.object({
  index: z.int().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
})

const content = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  refusal: z.string().nullish(),
  images: z.array(z.object({ image_url: z.object({ url: z.string() }) })).nullish(),
  tool_calls: z.array(call).nullish(),
})

/** An error in OpenAI's form. Providers' codes are passed on, and some are numbers or absent. */
export const relayError = z.object({ message: z.string(), code: z.unknown().optional() })

const piece = z.object({
  choices: z
    .array(
      z.object({
        delta: content.optional(),
        message: content.optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  error: relayError.nullish(),
})

/** Throws `RelayError` for an event that reports an error. */
export function readPiece(json: unknown): Delta | null {
  const { data } = piece.safeParse(json)
  if (data?.error) throw new RelayError(data.error.message, data.error.code)
  const [choice] = data?.choices ?? []
  const found = choice?.delta ?? choice?.message
  if (found === undefined) return null
  return {
    text: (found.content ?? '') + (found.refusal ?? ''),
    reasoning: found.reasoning_content ?? found.reasoning ?? '',
    images: (found.images ?? [])
      .map(({ image_url: { url } }) => url)
      .filter((url) => url.startsWith('data:image/')),
    finishReason: choice?.finish_reason ?? '',
    calls: (found.tool_calls ?? []).map((part, position) => ({
      index: part.index ?? position,
      id: part.id ?? '',
      name: part.function?.name ?? '',
      arguments: part.function?.arguments ?? '',
    })),
  }
}

export class RelayError extends Error {
  override readonly name = 'RelayError'
  /** Empty if the error has none. */
  readonly code: string

  constructor(message: string, code: unknown = '') {
    super(message)
    this.code = typeof code === 'string' ? code : ''
  }
}

const DATA = 'data:'
const DONE = '[DONE]'

/** The JSON of each event of a stream. Comments and other fields are skipped. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunksOf(body)) {
    rest += decoder.decode(bytes, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const data = line.startsWith(DATA) ? line.slice(DATA.length).trim() : ''
      if (data === DONE) return
      if (data !== '') yield JSON.parse(data)
    }
  }
}

/** Safari cannot iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}
