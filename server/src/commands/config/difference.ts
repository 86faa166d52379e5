import type { Fault } from './fault.ts'

export type FieldChange = {
  /** Empty for an object that is a single value. */
  readonly field: string
  /** Absent before an object exists, after it is removed, and for secrets. */
  readonly before?: unknown
  readonly after?: unknown
  readonly isSecret?: true
}

export const ACTIONS = ['create', 'update', 'delete'] as const

/** An object of the installation that differs from the file. */
export type Difference = {
  readonly kind: 'file' | 'option' | 'group' | 'price' | 'channel'
  readonly name: string
  readonly action: (typeof ACTIONS)[number]
  readonly fields: readonly FieldChange[]
}

export type PlanPart = {
  readonly differences: readonly Difference[]
  readonly faults: readonly Fault[]
  /** References without a value, which leave a member uncompared. */
  readonly missing: readonly Fault[]
}

export const joinParts = (parts: readonly PlanPart[]): PlanPart => ({
  differences: parts.flatMap(({ differences }) => differences),
  faults: parts.flatMap(({ faults }) => faults),
  missing: parts.flatMap(({ missing }) => missing),
})
