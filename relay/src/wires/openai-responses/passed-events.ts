import { jsonIn } from '../../bytes/json-parse.ts'
import { isRecord, type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { blockData } from '../../bytes/sse.ts'
import type { ResponseContext } from './response-context.ts'

const DATA = Buffer.from('data:')
const ITEM_ADDED = Buffer.from('"response.output_item.added"')
const ITEM_DONE = Buffer.from('"response.output_item.done"')
const RESPONSE_ENDS = ['"response.completed"', '"response.incomplete"'].map((type) =>
  Buffer.from(type),
)

/** The events of a provider's own stream that the client has. They are parsed only if needed. */
export class PassedEvents {
  readonly #keepItems: ResponseContext['keepItems']
  readonly #keepResponse: ResponseContext['keepResponse']
  readonly #output: JsonRecord[] = []
  /** Events are numbered from 0, without gaps. */
  count = 0
  #first: Buffer | null = null
  #firstItem: Buffer | null = null

  constructor({ keepItems, keepResponse }: Pick<ResponseContext, 'keepItems' | 'keepResponse'>) {
    this.#keepItems = keepItems
    this.#keepResponse = keepResponse
  }

  push(events: readonly Buffer[]): void {
    for (const event of events) {
      if (!event.includes(DATA)) continue
      this.count += 1
      this.#first ??= event
      if (this.#firstItem === null && event.includes(ITEM_ADDED)) this.#firstItem = event
      if (this.#keepItems === null) continue
      if (event.includes(ITEM_DONE)) {
        const item = member(readEvent(event), 'item')
        if (!isRecord(item)) continue
        this.#output.push(item)
        this.#keepItems([item])
      } else if (RESPONSE_ENDS.some((type) => event.includes(type))) this.#end(event)
    }
  }

  /** The text of an answer may name an event too. */
  #end(event: Buffer): void {
    if (this.#keepResponse === null) return
    const json = readEvent(event)
    const [type, id] = [member(json, 'type'), textOf(member(member(json, 'response'), 'id'))]
    const isEnd = type === 'response.completed' || type === 'response.incomplete'
    if (isEnd && id !== '') this.#keepResponse(id, this.#output)
  }

  /** The response as the client knows it. */
  response(): unknown {
    return member(readEvent(this.#first), 'response')
  }

  firstItemId(): string {
    return textOf(member(member(readEvent(this.#firstItem), 'item'), 'id'))
  }
}

const readEvent = (event: Buffer | null): unknown =>
  event === null ? undefined : jsonIn(blockData(event) ?? event)
