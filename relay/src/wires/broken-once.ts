import type { Adaptation } from '../fit/adaptations.ts'

/**
 * Whether a history is to be mended: the provider refuses it, and the typed form loses no setting.
 * Every attempt asks, so the history is read once.
 */
export function brokenOnce(losses: () => readonly Adaptation[], isRefused: () => boolean) {
  let isBroken: boolean | undefined
  return (): boolean => (isBroken ??= losses().every((loss) => loss === 'messages') && isRefused())
}
