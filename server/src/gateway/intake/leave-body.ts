import type { ClientRequest } from '../http-types.ts'

/**
 * For a request that is refused: whether part of its body is still to come, which nobody reads. A sender
 * that is cut off while it writes may never see the answer, so it is heard out for a moment.
 */
export function leavesBody(request: ClientRequest, lingerMs: number): Promise<boolean> | boolean {
  if (request.readableEnded || (request.takeBody?.() ?? null) !== null) return false
  return awaitsContinue(request) || hearOut(request, lingerMs)
}

/** Such a sender sends nothing before it is told to. */
const awaitsContinue = ({ headers, readableFlowing }: ClientRequest) =>
  headers.expect !== undefined && readableFlowing === null

function hearOut(request: ClientRequest, lingerMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer)
      request.off('end', stop).off('close', stop)
      resolve(!request.readableEnded)
    }
    const timer = setTimeout(stop, lingerMs)
    if (request.destroyed) return stop()
    request.on('end', stop).on('close', stop).resume()
  })
}
