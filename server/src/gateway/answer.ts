import type { Client } from './client.ts'
import { finishResponse } from './respond.ts'

/** Sends a whole answer: its status, its type and its bytes, and nothing else of what the upstream said. */
export async function sendAnswer(
  { response, left }: Client,
  { status, contentType, body }: { status: number; contentType: string; body: Buffer },
  sendMs: number,
): Promise<void> {
  if (left) return
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  await finishResponse(response, body, sendMs)
}
