/** The items of a comma-separated list: trimmed, without empty ones, each once. */
export function commaList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}
