/** The URL if the text is nothing but an https URL; null otherwise. */
export function loneAddress(text: string): string | null {
  const address = text.trim()
  return /^https:\/\/\S+$/.test(address) && URL.canParse(address) ? address : null
}
