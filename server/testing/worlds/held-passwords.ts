import type { Passwords } from '../../src/http/password.ts'
import { cheapPasswords } from './control-plane.ts'

/** Cheap hashes, which a test can hold to change something while a request waits for them. */
export function createHeldPasswords() {
  const { hash, verify, isOutdated } = cheapPasswords()
  let beforeHashing = async () => {}
  const passwords: Passwords = {
    hash: (password) => beforeHashing().then(() => hash(password)),
    verify: (password, stored) => beforeHashing().then(() => verify(password, stored)),
    isOutdated,
  }
  return {
    passwords,
    /** Holds every call until `release`. `reached` resolves when the calls are waiting. */
    hold(calls = 1) {
      let waiting = 0
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      beforeHashing = () => {
        waiting += 1
        if (waiting === calls) reached.resolve()
        return released.promise
      }
      const release = () => {
        beforeHashing = async () => {}
        released.resolve()
      }
      return { reached: reached.promise, release }
    },
  }
}
