const lost = new Set<HTMLLinkElement>()
let reloading: Promise<unknown> | undefined

export function watchStyles() {
  const onError = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') lost.add(target)
  }
  document.addEventListener('error', onError, true)
}

/** Vite requests a style sheet once, and would later show the page without one that was lost. */
export async function reloadLostStyles() {
  if (lost.size === 0 && !reloading) return
  reloading ??= Promise.all([...lost].map(reload)).finally(() => {
    reloading = undefined
  })
  await reloading
}

function reload(link: HTMLLinkElement) {
  const next = document.createElement('link')
  for (const { name, value } of link.attributes) next.setAttribute(name, value)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  next.addEventListener('load', resolve)
  next.addEventListener('error', () => reject(new Error(next.href)))
  link.replaceWith(next)
  lost.delete(link)
  return promise
}
