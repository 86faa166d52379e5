import { newRepeatId } from '../../lib/repeat-id.ts'

type Grant = { userId: number; quota: number; remark: string }

/** Grants of a run that has failed so far, so that a repeated run credits each user once. */
export class GrantAttempts {
  readonly #attempts = new Map<string, { repeatId: string; isDone: boolean }>()

  isDone(grant: Grant): boolean {
    return this.#attempts.get(keyOf(grant))?.isDone === true
  }

  async run(grant: Grant, credit: (repeatId: string) => Promise<unknown>) {
    const attempt = this.#attempts.get(keyOf(grant)) ?? { repeatId: newRepeatId(), isDone: false }
    this.#attempts.set(keyOf(grant), attempt)
    await credit(attempt.repeatId)
    attempt.isDone = true
  }

  clear() {
    this.#attempts.clear()
  }
}

const keyOf = ({ userId, quota, remark }: Grant) => `${userId} ${quota} ${remark}`
