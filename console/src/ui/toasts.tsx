import { CloseButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type CloseButtonProps, ToastContainer } from 'react-toastify'
import { useTranslation } from '../i18n/use-translation.ts'
import 'react-toastify/dist/ReactToastify.css'
import './toasts.css'

/** More toasts would cover the page; they wait in a queue. */
const AT_ONCE_MAX = 4

export function Toasts() {
  const { t } = useTranslation()
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false })
  return (
    <ToastContainer
      position={isNarrow ? 'top-center' : 'top-right'}
      aria-label={t('common.frame.toasts')}
      closeButton={Close}
      limit={AT_ONCE_MAX}
      newestOnTop
      theme="light"
    />
  )
}

function Close({ closeToast }: CloseButtonProps) {
  const { t } = useTranslation()
  return (
    <CloseButton
      size="sm"
      className="Toastify__close"
      aria-label={t('common.action.close')}
      onClick={(event) => closeToast(event)}
    />
  )
}
