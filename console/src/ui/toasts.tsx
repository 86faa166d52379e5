import { useMediaQuery } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { ToastContainer } from 'react-toastify'
import 'react-toastify/dist/ReactToastify.css'
import './toasts.css'

export function Toasts() {
  const { t } = useTranslation()
  const isNarrow = useMediaQuery('(max-width: 600px)', false, { getInitialValueInEffect: false })
  return (
    <ToastContainer
      position={isNarrow ? 'top-center' : 'top-right'}
      aria-label={t('common.frame.toasts')}
      limit={5}
      newestOnTop
      theme="light"
    />
  )
}
