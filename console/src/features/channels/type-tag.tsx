import { descriptorOf } from '@tollgate/relay/catalogue'
import { currentLanguage } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Tag } from '../../ui/tag.tsx'

export function TypeTag({ type }: { type: number }) {
  const { t } = useTranslation()
  const descriptor = descriptorOf(type)
  return (
    <Tag color={descriptor?.color ?? 'gray'}>
      {descriptor?.name[currentLanguage()] ?? t('channel.list.unknownType', { type })}
    </Tag>
  )
}
