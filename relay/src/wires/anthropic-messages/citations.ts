import { type JsonRecord, listOf, member, omit, textOf } from '../../bytes/json-value.ts'
import type { Citation } from '../../form/events.ts'

/** A source of a text block, which is a page, a search result of the client or a document. */
export function citationOf(
  given: unknown,
  place: { readonly start: number; readonly end: number },
): Citation[] {
  const text = (name: string) => textOf(member(given, name))
  const source = text('url') || text('source')
  const url = /^https?:/i.test(source) ? source : ''
  const [title, fileId] = [text('title') || text('document_title'), text('file_id')]
  if (url === '' && title === '' && fileId === '') return []
  return [{ ...place, url, title, quote: text('cited_text'), fileId }]
}

/** Documents of other providers have no place that Claude's clients could show. */
export const blockCitations = (citations: readonly Citation[]): JsonRecord[] =>
  citations
    .filter(({ url }) => url !== '')
    .map(({ url, title, quote }) => ({
      type: 'web_search_result_location',
      cited_text: quote,
      url,
      title,
      encrypted_index: '',
    }))

const isOwn = (citation: unknown) => member(citation, 'encrypted_index') === ''

/** Claude accepts only its own citations of web pages. The same block if it has no others. */
export function withoutOwnCitations(block: JsonRecord): JsonRecord {
  const given = listOf(block['citations'])
  if (!given.some(isOwn)) return block
  const citations = given.filter((citation) => !isOwn(citation))
  return citations.length === 0 ? omit(block, 'citations') : { ...block, citations }
}
