import { TagsInput, type TagsInputProps } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'

/** Chinese keyboards write another comma, and lists are pasted in lines. */
const SEPARATORS = [',', '，', '\n']

type Props = Omit<TagsInputProps, 'data' | 'renderOption' | 'searchValue' | 'onSearchChange'> & {
  data: readonly string[]
  /** Selected tags, if they differ from the value. */
  selected?: readonly string[]
  search?: { text: string; onChange: (text: string) => void }
}

/** Tags from a list or typed. Typed text missing from the list is offered as a new tag. */
export function TagsField({
  data,
  selected,
  search,
  splitChars = SEPARATORS,
  onChange: onTags,
  ...props
}: Props) {
  const { t } = useTranslation()
  const [own, setOwn] = useState('')
  const { text, onChange } = search ?? { text: own, onChange: setOwn }
  const typed = text.trim()
  // Input methods and on-screen keyboards may send no key events.
  const onType = (next: string) => {
    const parts = splitChars.reduce((texts, by) => texts.flatMap((part) => part.split(by)), [next])
    const names = parts.map((part) => part.trim()).filter((part) => part !== '')
    if (parts.length > 1) onTags?.([...new Set([...(props.value ?? []), ...names])])
    onChange(parts.length > 1 ? '' : next)
  }
  const isNew = typed !== '' && ![...data, ...(selected ?? props.value ?? [])].includes(typed)
  return (
    <TagsInput
      {...props}
      {...(onTags && { onChange: onTags })}
      splitChars={splitChars}
      data={isNew ? [typed, ...data] : [...data]}
      searchValue={text}
      onSearchChange={onType}
      renderOption={({ option: { value } }) =>
        isNew && value === typed ? t('common.form.addItem', { text: typed }) : String(value)
      }
    />
  )
}
