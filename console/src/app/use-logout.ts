import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { sessionEndpoints } from '@tollgate/contract'
import { call } from '../lib/api.ts'
import { clearSession } from '../lib/session.ts'
import { showSuccess } from '../lib/toast.ts'

export function useLogout() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call(sessionEndpoints.logout, {}),
    onSuccess: async () => {
      // First away from the page: its guard would remember it for whoever logs in next.
      await navigate('/login')
      clearSession()
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'status' })
      showSuccess(t('common.frame.loggedOut'))
    },
  })
}
