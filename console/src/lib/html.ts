/** Renders the operator's Markdown or HTML to sanitized nodes. Both libraries load on first use. */
export async function toSafeFragment(source: string): Promise<DocumentFragment> {
  const [{ default: dompurify }, { marked }] = await Promise.all([
    import('dompurify'),
    import('marked'),
  ])
  return dompurify.sanitize(await marked.parse(source), {
    RETURN_DOM_FRAGMENT: true,
    FORBID_TAGS: ['style', 'form', 'input', 'button'],
  })
}
