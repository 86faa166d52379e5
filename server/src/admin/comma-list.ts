/** Splits a comma-separated list into trimmed, non-empty, unique items. */
export function commaList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}
