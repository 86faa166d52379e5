export type ErrorRow = {
  status: 200 | 400 | 401 | 403 | 404 | 413 | 429 | 500 | 503
  en: string
  zh: string
}
