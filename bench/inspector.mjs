// Speaks to the inspector of a Node.js process.
import { once } from 'node:events'

/** `send(method, params)` resolves with the result of a call of the DevTools protocol. */
export async function connectInspector(port) {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [{ webSocketDebuggerUrl }] = await response.json()
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  const waiting = new Map()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(data)
    const waiter = waiting.get(id)
    if (!waiter) return
    waiting.delete(id)
    if (error) waiter.reject(new Error(error.message))
    else waiter.resolve(result)
  })
  let calls = 0
  const send = (method, params = {}) => {
    calls += 1
    socket.send(JSON.stringify({ id: calls, method, params }))
    const waiter = Promise.withResolvers()
    waiting.set(calls, waiter)
    return waiter.promise
  }
  return { send, close: () => socket.close() }
}
