import { useEffect, useRef, useState } from 'react'
import { onFieldRefusal } from './field-refusals.ts'

type Refused = Readonly<Record<string, string>>

const NONE: Refused = {}

/**
 * What the server refuses in the fields of a form that has no form library. A refused field gets
 * the focus. `fields` must keep its identity.
 */
export function useRefusedFields(fields: readonly string[]) {
  const [refused, setRefused] = useState(NONE)
  const inputs = useRef(new Map<string, HTMLElement>())
  useEffect(
    () =>
      onFieldRefusal(({ field, text }) => {
        const name = field.split('.').find((part) => fields.includes(part))
        if (name !== undefined) setRefused({ [name]: text })
        return name !== undefined
      }),
    [fields],
  )
  // After the error is on the page, so that screen readers describe the field by it.
  const [name] = Object.keys(refused)
  useEffect(() => {
    if (name !== undefined) inputs.current.get(name)?.focus()
  }, [refused, name])
  return {
    refused,
    forget: () => setRefused(NONE),
    focus: (field: string) => inputs.current.get(field)?.focus(),
    refOf: (field: string) => (input: HTMLElement | null) => {
      if (input) inputs.current.set(field, input)
      else inputs.current.delete(field)
    },
  }
}
