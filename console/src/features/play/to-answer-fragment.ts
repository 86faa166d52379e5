/** Renders the Markdown of a model to sanitized nodes. Nothing in them loads anything. */
export async function toAnswerFragment(source: string): Promise<DocumentFragment> {
  const [{ default: dompurify }, { answerHtml, TAGS }] = await Promise.all([
    import('dompurify'),
    import('./answer-markdown.ts'),
  ])
  const fragment = dompurify.sanitize(answerHtml(source), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: [...TAGS],
    ALLOWED_ATTR: ['href', 'start', 'align'],
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  })
  for (const link of fragment.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  return fragment
}
