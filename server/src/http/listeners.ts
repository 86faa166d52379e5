/*
 * Listeners of one event, of which most objects have one or none. An `EventEmitter` would allocate
 * a dictionary for each request.
 */

export type Listener = () => void
export type Listeners = readonly Listener[]

export const NO_LISTENERS: Listeners = []

/** Lists are replaced, so a listener may unsubscribe while it runs. */
export const withListener = (all: Listeners, added: Listener): Listeners =>
  all.length === 0 ? [added] : [...all, added]

export function withoutListener(all: Listeners, removed: Listener): Listeners {
  if (all.length === 1 && all[0] === removed) return NO_LISTENERS
  return all.filter((other) => other !== removed)
}

export function notify(listeners: Listeners) {
  for (const listener of listeners) listener()
}
