/** Text, lists, tables, code and links. No element of the list loads anything. */
const TAGS =
  'a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre strong sub sup table tbody td th thead tr ul'

/**
 * Renders the Markdown of a model to sanitized nodes. Images are left out: they would tell other
 * servers about the reader, and call this one.
 */
export async function toAnswerFragment(source: string): Promise<DocumentFragment> {
  const [{ default: dompurify }, { marked }] = await Promise.all([
    import('dompurify'),
    import('marked'),
  ])
  const fragment = dompurify.sanitize(await marked.parse(source), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ['href', 'start', 'align'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  })
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  return fragment
}
