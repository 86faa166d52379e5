import type { ComboboxItem, OptionsFilter } from '@mantine/core'
import { descriptorOf } from '@tollgate/relay/catalogue'

function isTypeNamed(type: string, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  const names = Object.values(descriptorOf(Number(type))?.name ?? {})
  return type === wanted || names.some((name) => name.toLowerCase().includes(wanted))
}

export const matchTypes: OptionsFilter = ({ options, search }) =>
  options.filter(
    (option): option is ComboboxItem => 'value' in option && isTypeNamed(option.value, search),
  )
