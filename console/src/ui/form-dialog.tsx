import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from '../i18n/use-translation.ts'

type Props = {
  title: ReactNode
  size?: 'lg' | 'xl'
  onClose: () => void
  children: ReactNode
}

/** A dialog with fields. A click outside does not close it, because the input would be lost. */
export function FormDialog({ title, size, onClose, children }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      opened
      {...(size && { size })}
      title={title}
      onClose={onClose}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      {children}
    </Modal>
  )
}
