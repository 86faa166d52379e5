import { BILL_PART_CHARACTERS_MAX } from '@tollgate/contract'

/** Bytes per part. A byte is at most one character, so a part is never too long. */
const PART_BYTES = 256 * 1024

const PREVIEW_BYTES = 32 * 1024

/** The start of a file, as text. */
export async function startOf(file: Blob): Promise<string> {
  const text = await file.slice(0, PREVIEW_BYTES).text()
  const end = text.lastIndexOf('\n') + 1
  // A line that was cut off would look broken in the preview.
  return file.size > PREVIEW_BYTES && end > 0 ? text.slice(0, end) : text
}

/** Text of a file in parts that are cut between characters. */
export async function* partsOf(
  file: Blob,
  bytes = Math.min(PART_BYTES, BILL_PART_CHARACTERS_MAX),
): AsyncGenerator<{ text: string; last: boolean; share: number }> {
  const decoder = new TextDecoder()
  for (let start = 0; start === 0 || start < file.size; start += bytes) {
    const last = start + bytes >= file.size
    const buffer = await file.slice(start, start + bytes).arrayBuffer()
    const share = Math.min(1, (start + bytes) / Math.max(1, file.size))
    yield { text: decoder.decode(buffer, { stream: !last }), last, share }
  }
}
