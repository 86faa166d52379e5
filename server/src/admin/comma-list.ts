/** Lists that people type or paste have full-width commas and line ends as well. */
const COMMAS = /[,，\r\n]/

/** Splits a list into trimmed, non-empty, unique items. */
export function commaList(text: string, by = COMMAS): string[] {
  const items = text.split(by).map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}
