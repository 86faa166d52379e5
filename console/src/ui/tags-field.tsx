import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'

type Props = Omit<TagsInputProps, 'data' | 'renderOption' | 'searchValue' | 'onSearchChange'> & {
  data: readonly string[]
  /** Selected tags, if they differ from the value. */
  selected?: readonly string[]
  search?: { text: string; onChange: (text: string) => void }
}

/** Tags from a list or typed. Typed text missing from the list is offered as a new tag. */
export function TagsField({ data, selected, search, ...props }: Props) {
  const { t } = useTranslation()
  const [own, setOwn] = useState('')
  const { text, onChange } = search ?? { text: own, onChange: setOwn }
  const typed = text.trim()
  const isNew = typed !== '' && ![...data, ...(selected ?? props.value ?? [])].includes(typed)
  return (
    <TagsInput
      {...props}
      data={isNew ? [typed, ...data] : [...data]}
      searchValue={text}
      onSearchChange={onChange}
      renderOption={({ option: { value } }) =>
        isNew && value === typed ? t('common.form.addItem', { text: typed }) : String(value)
      }
    />
  )
}
