import { Modal } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { toSafeFragment } from '../../lib/html.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { useFocusReturn } from '../../ui/use-focus-return.ts'
import type { Release } from './latest-release.ts'

export function ReleaseDialog({ release, onClose }: { release: Release; onClose: () => void }) {
  const { t } = useTranslation()
  useFocusReturn()
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={t('settings.update.newer', { tag: release.tag })}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      {release.text.trim() === '' ? (
        t('settings.update.noText')
      ) : (
        <RichText source={release.text} toFragment={toSafeFragment} />
      )}
    </Modal>
  )
}
