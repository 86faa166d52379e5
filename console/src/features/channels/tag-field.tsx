import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CHANNEL_TAG_MAX } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { tagsQuery } from './queries.ts'

type Props = Omit<AutocompleteProps, 'label' | 'data' | 'onFocus'>

/** The tag of a channel. Suggests the tags of other channels. */
export function TagField(props: Props) {
  const { t } = useTranslation()
  // Loaded only when the user opens the choice.
  const [isChoosing, setIsChoosing] = useState(false)
  const { data: tags = [] } = useQuery({ ...tagsQuery, enabled: isChoosing })
  return (
    <Autocomplete
      label={t('channel.tag.label')}
      maxLength={CHANNEL_TAG_MAX}
      autoComplete="off"
      {...props}
      data={tags}
      onFocus={() => setIsChoosing(true)}
    />
  )
}
