import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

type Props = Omit<TagsInputProps, 'data' | 'renderOption' | 'searchValue' | 'onSearchChange'> & {
  data: readonly string[]
  /** What is chosen, where that is not the value. */
  taken?: readonly string[]
  search?: { text: string; onChange: (text: string) => void }
}

/** Tags from a list, or typed: what the list does not have is offered to be added. */
export function TagsField({ data, taken, search, ...props }: Props) {
  const { t } = useTranslation()
  const [own, setOwn] = useState('')
  const { text, onChange } = search ?? { text: own, onChange: setOwn }
  const typed = text.trim()
  const isNew = typed !== '' && ![...data, ...(taken ?? props.value ?? [])].includes(typed)
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
