import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Upload, Uploader, Uploads } from './uploads.ts'

/** Each buffer of a frame that is arriving takes about this much memory, whatever its length. */
const BUFFER_BYTES = 256

export type FrameCount = { readonly uploads: Uploads; readonly uploader: Uploader }

/**
 * Counts the bytes of a frame that is arriving like those of a body. A frame that is refused ends
 * its connection.
 */
export function countFrames(
  { uploads, uploader }: FrameCount,
  { socket, webSocket }: { socket: Duplex; webSocket: WebSocket },
) {
  let upload: Upload | null = null
  const end = () => {
    upload?.close()
    upload = null
  }
  // Before the WebSocket reads the bytes, which may complete the frame.
  socket.prependListener('data', (bytes: Buffer) => {
    upload ??= uploads.open(uploader, () => socket.destroy())
    upload.add(bytes.length + BUFFER_BYTES)
  })
  webSocket.on('message', end)
  socket.once('close', end)
}
