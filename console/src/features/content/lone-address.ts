/** The address a text consists of; null when it is a text to read. */
export function loneAddress(text: string): string | null {
  const address = text.trim()
  return /^https:\/\/\S+$/.test(address) && URL.canParse(address) ? address : null
}
