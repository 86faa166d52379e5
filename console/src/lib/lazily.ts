/** Stands for an object that is created when it is first used. */
export function lazily<T extends object>(create: () => T): T {
  let created: T | undefined
  const target = () => (created ??= create())
  // Safe because every access goes to the object that is created.
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(target(), name) as unknown,
    has: (_, name) => Reflect.has(target(), name),
  })
}
