import { Modal } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useServerAddress } from '../../lib/status.ts'
import { CodeChoice } from '../../ui/code-choice.tsx'
import type { RequestBody } from './conversation.ts'

type Props = { body: RequestBody; onClose: () => void }

/** The request that the next message extends. The key is left out, because code is passed on. */
export function CodeDialog({ body, onClose }: Props) {
  const { t } = useTranslation()
  const address = useServerAddress()
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('play.page.code')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <CodeChoice request={{ address, key: 'sk-…', path: '/v1/chat/completions', body }} />
    </Modal>
  )
}
