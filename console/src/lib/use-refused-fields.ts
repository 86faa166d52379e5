import { useEffect, useState } from 'react'
import { onFieldRefusal } from './field-refusals.ts'

type Refused = Readonly<Record<string, string>>

const NONE: Refused = {}

/**
 * What the server refuses in the fields of a form that has no form library. `fields` must keep its
 * identity.
 */
export function useRefusedFields(fields: readonly string[]) {
  const [refused, setRefused] = useState(NONE)
  useEffect(
    () =>
      onFieldRefusal(({ field, text }) => {
        const name = field.split('.').find((part) => fields.includes(part))
        if (name !== undefined) setRefused({ [name]: text })
        return name !== undefined
      }),
    [fields],
  )
  return { refused, forget: () => setRefused(NONE) }
}
