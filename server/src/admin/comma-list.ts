/**
 * Splits a list into trimmed, non-empty, unique items. Lists that people type or paste have
 * full-width commas and line ends as well.
 */
export function commaList(text: string): string[] {
  const items = text.split(/[,，\r\n]/).map((item) => item.trim())
  return [...new Set(items.filter((item) => item !== ''))]
}
