/** Absent in tests without a browser. Safe because the type only adds that case. */
const page = globalThis.document as Document | undefined

/** The path that a reverse proxy serves the console under, without a slash at its end. */
export const basePath =
  page?.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''
