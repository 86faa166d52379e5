/** Absent in tests without a browser. Safe because the type only adds that case. */
const page = globalThis.document as Document | undefined

const contentOf = (name: string) =>
  page?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

/** The operator's name and logo, which the server writes into the HTML; empty if not set. */
export const siteName = contentOf('site-name')
export const siteLogo = contentOf('site-logo')
