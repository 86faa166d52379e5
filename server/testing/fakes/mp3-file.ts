const FRAME_BYTES = 576
const FRAME_SECONDS = 0.036

/** MPEG audio at 128 kbit/s: frame headers with silence between them. */
export function mp3(seconds: number): Buffer {
  const bytes = Buffer.alloc(Math.round(seconds / FRAME_SECONDS) * FRAME_BYTES)
  for (let at = 0; at < bytes.length; at += FRAME_BYTES) bytes.set([0xff, 0xfb, 0x98, 0xc4], at)
  return bytes
}
