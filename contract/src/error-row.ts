export type ErrorRow = {
  /** The input field at fault, where it is the same in every case; others are named in `params`. */
  field?: string
  status: 200 | 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503
  en: string
  zh: string
}
