/** Text that both databases can store: no NUL, no half of a surrogate pair, at most so many units. */
export function storableText(text: string, lengthMax: number): string {
  return text.replaceAll('\0', '').slice(0, lengthMax).toWellFormed()
}
